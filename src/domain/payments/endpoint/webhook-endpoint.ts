import { lockNames } from '#src/database/lock-names.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../../audit/index.ts';
import type { Context } from '../../context.ts';
import type { EventEndpoint, PaymentAccount } from '../../ports/payment-gateway.ts';
import { isLiveSecret, openAccount, webhookUrlOf, whileCallerWaits } from '../accounts/payment-account.ts';
import { replaceWebhookSecret } from '../accounts/save-account.ts';
import { withPaymentErrors } from '../provider-calls.ts';

/**
 * What keeps events from arriving, or from being accepted.
 *
 *   not_registered   the provider has no endpoint with the store's URL
 *   disabled         it has one, and it is disabled
 *   lacks_events     it is not subscribed to every event type that we handle
 *   no_secret        no secret is stored to verify signatures with
 *   other_secret     the stored secret is another endpoint's
 */
export type EndpointFault = 'not_registered' | 'disabled' | 'lacks_events' | 'no_secret' | 'other_secret';

export interface EndpointCheck {
  readonly url: string;
  /** The provider's endpoint with the store's URL; undefined where there is none. */
  readonly endpointId: string | undefined;
  readonly faults: readonly EndpointFault[];
  readonly lacks: readonly string[];
  /** When an event last arrived by webhook. */
  readonly eventReceivedAt: Date | null;
}

/**
 * Check at the payment provider whether it delivers every event to this store.
 * @throws DomainError when the call fails
 */
export async function checkWebhookEndpoint(ctx: Context): Promise<EndpointCheck> {
  const account = await openAccount(ctx);
  const url = webhookUrlOf(ctx);
  const all = await withPaymentErrors(ctx.ports.payments.listEndpoints(account, ctx.signal));
  const endpoints = all.filter((other) => other.url === url);
  const secrets = await liveSecrets(ctx);
  const trusted = secrets.map(({ endpointId }) => endpointId);
  const living = endpoints.filter(({ isEnabled }) => isEnabled);
  const endpoint = living.find(({ endpointId }) => trusted.includes(endpointId)) ?? living[0] ?? endpoints[0];

  const faults: EndpointFault[] = [];
  if (!endpoint) faults.push('not_registered');
  else if (!endpoint.isEnabled) faults.push('disabled');
  else if (endpoint.lacks.length > 0) faults.push('lacks_events');
  if (secrets.length === 0) faults.push('no_secret');
  else if (endpoint && !trusted.includes(null) && !trusted.includes(endpoint.endpointId)) faults.push('other_secret');
  return {
    url,
    endpointId: endpoint?.endpointId,
    faults,
    lacks: endpoint?.lacks ?? [],
    eventReceivedAt: await lastReceivedAt(ctx),
  };
}

/** A secret that an owner entered names no endpoint, so it may belong to any. */
async function liveSecrets(ctx: Context): Promise<{ endpointId: string | null }[]> {
  return read(
    ctx,
    sql`
    select provider_endpoint_id as "endpointId" from payment_webhook_secrets
    where tenant_id = ${ctx.tenant.id} and ${isLiveSecret(ctx)}`,
  );
}

async function lastReceivedAt(ctx: Context): Promise<Date | null> {
  const row = await readOne<{ at: Date | null }>(
    ctx,
    sql`
    select max(received_at) as at from payment_events where tenant_id = ${ctx.tenant.id} and source = 'webhook'`,
  );
  return row?.at ?? null;
}

export interface RegisteredEndpoint {
  readonly endpointId: string;
  readonly url: string;
  /** `false`: the endpoint was registered without fault before. */
  readonly isNew: boolean;
}

/**
 * Register an endpoint at the payment provider for exactly the events that we handle, and store its signing secret. An
 * endpoint without fault stays, unless `replace` is given.
 *
 * @throws DomainError when a call to the provider fails
 */
export async function registerWebhookEndpoint(ctx: Context, { replace = false } = {}): Promise<RegisteredEndpoint> {
  const { url, endpointId, faults } = await checkWebhookEndpoint(ctx);
  if (!replace && endpointId && faults.length === 0) return { endpointId, url, isNew: false };
  const made = await replaceWebhookEndpoint(ctx, { name: `registered-${await nextNumber(ctx)}` });
  const subject = { subjectKind: 'payment_webhook', subjectId: made.endpointId };
  await transact(ctx, (ctx) => recordAudit(ctx, { action: 'payment_webhook.registered', ...subject, after: { url } }));
  return { endpointId: made.endpointId, url, isNew: true };
}

/** The number stays the same until the secret is stored, so a call after one that died creates no second endpoint. */
async function nextNumber(ctx: Context): Promise<number> {
  const row = await readOne<{ count: number }>(
    ctx,
    sql`
    select count(*) as count from payment_webhook_secrets where tenant_id = ${ctx.tenant.id}`,
  );
  return (row?.count ?? 0) + 1;
}

/**
 * Create a new endpoint at the provider, store its secret, then disable the endpoint before it: at no moment is an
 * event without an endpoint. Each step can be repeated: with the same `name` the provider returns the same secret. Of
 * several at once the last to store its secret stays, and a repeat does not end an endpoint that came later.
 *
 * @returns the new signing secret, to be shown once to the caller
 * @throws DomainError when a call to the provider fails
 */
export async function replaceWebhookEndpoint(ctx: Context, { name }: { name: string }): Promise<MadeEndpoint> {
  const account = whileCallerWaits(await openAccount(ctx));
  const url = webhookUrlOf(ctx);
  const ownName = `${ctx.tenant.slug}:${name}`;
  const key = `endpoint:${ctx.tenant.id}:${name}`;
  await rejectWithoutRoom(ctx, account, ownName);
  const made = await withPaymentErrors(ctx.ports.payments.createEndpoint(account, { url, ownName }, key, ctx.signal));

  const known = await storeEndpoint(ctx, made);
  if (known) await removeOtherEndpoints(ctx, account, { url, current: made.endpointId, known });
  return made;
}

/** The provider allows an account so many, also disabled ones, and one account may be that of many stores. */
const endpointsMax = 16;

/** Asked before, because a refusal of the provider would be repeated under its key for a day. */
async function rejectWithoutRoom(ctx: Context, account: PaymentAccount, ownName: string): Promise<void> {
  const endpoints = await withPaymentErrors(ctx.ports.payments.listEndpoints(account, ctx.signal));
  if (endpoints.length < endpointsMax || endpoints.some((other) => other.ownName === ownName)) return;
  const message =
    `The account at the payment provider has ${endpoints.length} webhook endpoints, of ${endpointsMax} that it may ` +
    'have: delete one there that no store needs, or give this store an account of its own.';
  throw new DomainError('upstream_failed', 'payment_provider_error', message);
}

export interface MadeEndpoint {
  readonly endpointId: string;
  readonly secret: string;
}

/**
 * Store the secret of an endpoint, unless that was done.
 * @returns the ids of all endpoints whose secrets are stored; `undefined` where a later one has taken its place
 */
async function storeEndpoint(ctx: Context, made: MadeEndpoint): Promise<readonly string[] | undefined> {
  return transact(ctx, async (ctx) => {
    await lockNames(ctx, 'provider', ['payments']);
    const stored = await ctx.tx.execute<{ endpointId: string; isCurrent: boolean }>(sql`
      select provider_endpoint_id as "endpointId", state = 'current' as "isCurrent" from payment_webhook_secrets
      where tenant_id = ${ctx.tenant.id} and provider_endpoint_id is not null`);
    const own = stored.find(({ endpointId }) => endpointId === made.endpointId);
    if (own && !own.isCurrent) return undefined;
    if (!own) await replaceWebhookSecret(ctx, made);
    return stored.map(({ endpointId }) => endpointId);
  });
}

/** Disable or delete the other endpoints with this URL. */
async function removeOtherEndpoints(
  ctx: Context,
  account: PaymentAccount,
  { url, current, known }: { url: string; current: string; known: readonly string[] },
): Promise<void> {
  const { payments } = ctx.ports;
  const endpoints = await withPaymentErrors(payments.listEndpoints(account, ctx.signal));
  for (const other of endpoints.filter((other) => other.url === url && other.endpointId !== current)) {
    const how = endingOf(other, known, fromNow(ctx.clock, -storedWithinMs));
    if (how) await withPaymentErrors(payments.endEndpoint(account, other.endpointId, how, ctx.signal));
  }
}

/** Longer than from creating an endpoint to storing its secret, unless its process died. */
const storedWithinMs = minutes(10);

/**
 * Endpoints are disabled at first. Their number is limited, so an own one that was disabled before is deleted, and so is
 * one whose secret was never stored; but not while that may still be done.
 */
function endingOf(
  { endpointId, ownName, isEnabled, createdAt }: EventEndpoint,
  known: readonly string[],
  lostBefore: Date,
): 'disable' | 'delete' | undefined {
  if (ownName === null || (isEnabled && known.includes(endpointId))) return isEnabled ? 'disable' : undefined;
  return !isEnabled || createdAt < lostBefore ? 'delete' : undefined;
}
