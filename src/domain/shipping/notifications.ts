import { processNotification as processNotificationJob } from '#jobs/labels.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { equalInConstantTime, hmacSha256, sha256 } from '#src/lib/crypto.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';
import { matchPurchases } from './check-purchases.ts';
import { readMarker } from './label.ts';
import { laterIfDenied } from './pause-labels.ts';
import { reconcileTracking } from './reconcile-tracking.ts';
import { openAccount } from './shipping-account.ts';

/** What proves that the shipping provider sent a webhook. */
export interface SenderProof {
  /** The token in the webhook URL that the store gave to the provider. */
  readonly token: string;
  /** The header `Shippo-Auth-Signature`: `t=<seconds>,v1=<hex HMAC-SHA256 of t, a dot and the body>`. */
  readonly signature: string | undefined;
  readonly rawBody: Buffer;
}

/** How far the signer's clock may differ from this one. */
const toleranceMs = seconds(300);

/**
 * Whether the store's shipping provider sent this. Each store has a token, which is part of its webhook URL. Where it
 * has a signing secret as well, a request that is not signed with it, or was signed too long ago, is rejected. A store
 * that has neither accepts nothing.
 */
export async function isFromShippingProvider(
  ctx: Context,
  { token, signature, rawBody }: SenderProof,
): Promise<boolean> {
  const row = await readOne<{ token: string | null; secret: string | null }>(
    ctx,
    sql`
    select webhook_token_sealed as token, webhook_secret_sealed as secret
    from shipping_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  const expected = row?.token ? ctx.keyring.open(ctx.tenant.id, 'shipping_webhook_token', row.token) : undefined;
  const secret = row?.secret ? ctx.keyring.open(ctx.tenant.id, 'shipping_webhook_secret', row.secret) : undefined;
  // A token is compared also where the store has none, so that both rejections take as long.
  const isToken = equalInConstantTime(token, expected ?? newId('hint')) && expected !== undefined;
  const isSigned = secret !== undefined && isSignature(ctx, { secret, signature: signature ?? '', rawBody });
  return (isToken || expected === undefined) && (isSigned || secret === undefined) && (isToken || isSigned);
}

function isSignature(
  ctx: Context,
  { secret, signature, rawBody }: { secret: string; signature: string; rawBody: Buffer },
): boolean {
  const [, at = '', digest = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i.exec(signature.replaceAll(' ', '')) ?? [];
  const expected = hmacSha256(secret, Buffer.concat([Buffer.from(`${at}.`), rawBody]));
  const isFresh = Math.abs(ctx.clock.now().getTime() - Number(at) * 1000) <= toleranceMs;
  return equalInConstantTime(digest.toLowerCase(), expected.toString('hex')) && isFresh;
}

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** The part of a provider's webhook that is read: which object it is about. The rest is fetched from the provider. */
export const ShippingNotification = Type.Object({
  event: Type.String({ maxLength: 100 }),
  data: Type.Object({
    object_id: text,
    object_updated: text,
    status: Type.Optional(Type.Unknown()),
    tracking_number: text,
    carrier: text,
    tracking_status: Type.Optional(Type.Unknown()),
  }),
});
export type ShippingNotification = Static<typeof ShippingNotification>;

/**
 * Store a notification and enqueue the job that processes it, in one transaction. Only its subject is trusted. The same
 * notification again is the same row.
 * @returns whether its subject is one that is processed
 */
export async function receiveNotification(ctx: Context, notification: ShippingNotification): Promise<boolean> {
  const about = subjectOf(notification);
  if (!about) return false;
  const fingerprint = sha256(
    JSON.stringify([
      notification.event,
      about,
      notification.data.object_updated,
      notification.data.status,
      notification.data.tracking_status,
    ]),
  ).toString('base64url');
  await transact(ctx, async (ctx) => {
    const [row] = await ctx.tx.execute<{ id: string }>(sql`
      insert into shipping_notifications (tenant_id, id, kind, subject, fingerprint, received_at)
      values (${ctx.tenant.id}, ${newId('hint')}, ${about.kind}, ${about.subject}, ${fingerprint}, ${ctx.clock.now()})
      on conflict (tenant_id, fingerprint) do nothing returning id`);
    if (row) enqueue(ctx, processNotificationJob, { notificationId: row.id });
  });
  return true;
}

const subjectMax = 200;

function subjectOf({
  event,
  data,
}: ShippingNotification): { kind: 'track' | 'transaction'; subject: string } | undefined {
  if (event === 'track_updated' && data.tracking_number)
    return { kind: 'track', subject: data.tracking_number.slice(0, subjectMax) };
  if (event.startsWith('transaction_') && data.object_id)
    return { kind: 'transaction', subject: data.object_id.slice(0, subjectMax) };
  return undefined;
}

/** Fetch what a notification is about: a parcel that moved, or a purchase that was decided. */
export async function processNotification(ctx: Context, { notificationId }: { notificationId: string }): Promise<void> {
  const notification = await readOne<{ kind: 'track' | 'transaction'; subject: string }>(
    ctx,
    sql`
    select kind, subject from shipping_notifications where tenant_id = ${ctx.tenant.id} and id = ${notificationId}`,
  );
  if (!notification) return;
  if (notification.kind === 'transaction') return reconcilePurchase(ctx, notification.subject);

  const parcels = await read<{ id: string }>(
    ctx,
    sql`
    select id from trackings where tenant_id = ${ctx.tenant.id} and tracking_number = ${notification.subject} limit 10`,
  );
  // The job completes when all parcels are reconciled, so none of them completes it alone.
  const { attempt: _, ...each } = ctx;
  for (const { id } of parcels) await reconcileTracking(each, { trackingId: id });
}

async function reconcilePurchase(ctx: Context, purchaseId: string): Promise<void> {
  const opened = await openAccount(ctx);
  if (!opened) return;
  const purchase = await ctx.ports.shipping
    .fetchPurchase(opened.account, purchaseId, { signal: ctx.signal })
    .catch(async (error: unknown) => {
      await laterIfDenied(ctx, opened, error);
      return unlessMissing(error);
    });
  const labelId = purchase && readMarker(purchase.marker)?.labelId;
  if (purchase && labelId) await matchPurchases(ctx, labelId, [purchase]);
}

/** A notification about an object that the account does not know is not about this store. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof ProviderError && error.failure === 'missing') return undefined;
  throw error;
}
