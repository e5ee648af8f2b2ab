import { fromNow } from '#src/lib/clock.ts';
import { hours } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { Label } from './label.ts';

/** How often a parcel that is on its way is asked about, whatever the provider tells by itself. */
export const pollEveryMs = hours(6);

/** Follow the parcel of a label that was bought: the provider tracks it without being asked. */
export async function beginTracking(ctx: InTransaction, label: Label): Promise<void> {
  const { rate, trackingNumber } = label;
  if (!rate || !trackingNumber) return;
  await insertTracking(ctx, {
    orderId: label.orderId,
    labelId: label.id,
    carrier: rate.carrier,
    carrierName: rate.carrierName,
    service: rate.service,
    trackingNumber,
    trackingUrl: label.trackingUrl ?? null,
    followed: true,
    firstPollMs: pollEveryMs,
  });
}

export interface NewTracking {
  readonly orderId: string;
  readonly labelId: string | null;
  readonly carrier: string;
  readonly carrierName: string;
  readonly service: string | null;
  readonly trackingNumber: string;
  readonly trackingUrl: string | null;
  /** Whether the provider follows it already. */
  readonly followed: boolean;
  readonly firstPollMs: number;
}

export async function insertTracking(ctx: InTransaction, parcel: NewTracking): Promise<void> {
  const now = ctx.clock.now();
  await ctx.tx.execute(sql`
    insert into trackings (tenant_id, id, order_id, label_id, carrier, carrier_name, service, tracking_number,
      tracking_url, status, followed, polls, next_poll_at, created_at, updated_at)
    values (${ctx.tenant.id}, ${newId('trk')}, ${parcel.orderId}, ${parcel.labelId}, ${parcel.carrier},
      ${parcel.carrierName}, ${parcel.service}, ${parcel.trackingNumber}, ${parcel.trackingUrl}, 'pre_transit',
      ${parcel.followed}, 0, ${fromNow(ctx.clock, parcel.firstPollMs)}, ${now}, ${now})
    on conflict (tenant_id, tracking_number, carrier) do nothing`);
}

/** The parcel of this label is not sent. */
export async function unlinkParcel(ctx: InTransaction, label: Label): Promise<void> {
  await ctx.tx.execute(sql`
    update trackings set next_poll_at = null where tenant_id = ${ctx.tenant.id} and label_id = ${label.id}`);
}
