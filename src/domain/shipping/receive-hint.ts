import { processNotification as processNotificationJob } from '#jobs/labels.ts';
import { transact } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { newId } from '#src/lib/ids.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context } from '../context.ts';

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** What we read of what the parcel provider sends: what it is about. Everything else is asked for afterwards. */
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
 * Keep a hint and promise to follow it, in one transaction. Nothing of it is believed but what it is about. The same
 * hint again is the same row. Answers whether it was about anything of interest.
 */
export async function receiveNotification(ctx: Context, hint: ShippingNotification): Promise<boolean> {
  const about = subjectOf(hint);
  if (!about) return false;
  const fingerprint = sha256(
    JSON.stringify([hint.event, about, hint.data.object_updated, hint.data.status, hint.data.tracking_status]),
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
