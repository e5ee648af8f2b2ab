import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { FulfillmentUpdate, Order } from '../orders/index.ts';
import type { Tracking } from './tracking.ts';

/** What is flagged, as its detail says it of a tracking number. */
const details = {
  parcel_returned: (number: string) => `The carrier returned the parcel ${number} to its sender.`,
  parcel_failed: (number: string) => `The carrier could not deliver the parcel ${number}.`,
  parcel_overdue: (number: string) =>
    `The carrier has not reported within three weeks that the parcel ${number} arrived.`,
} as const;

type ParcelCode = keyof typeof details;

/** The attentions of an order that are about its parcels. The codes are part of the API: a released one never changes. */
export const parcelCodes = Object.keys(details) as readonly ParcelCode[];

/** Those that a full refund ends: the shopper waits for nothing any more. Goods that come back still matter. */
export const endedByRefund: readonly ParcelCode[] = ['parcel_failed', 'parcel_overdue'];

type Progress = Pick<Tracking, 'status' | 'overdueAt'>;

function problemOf({ status, overdueAt }: Progress): ParcelCode | undefined {
  if (status === 'returned') return 'parcel_returned';
  if (status === 'failure') return 'parcel_failed';
  return overdueAt && status !== 'delivered' ? 'parcel_overdue' : undefined;
}

/**
 * What to flag an order for because of a parcel that changed, and which of its attentions are true of none of its parcels
 * any more. One that was dismissed is not flagged again. Of an order that was refunded in full only goods that come back
 * matter. The order is locked.
 */
export async function parcelAttentions(
  ctx: InTransaction,
  order: Order,
  changed?: Tracking,
): Promise<Pick<FulfillmentUpdate, 'attention' | 'resolved'>> {
  const code = changed && problemOf(changed);
  const matters = code && !(order.status === 'refunded' && endedByRefund.includes(code));
  return {
    ...(matters && { attention: { code, detail: details[code](changed.trackingNumber) } }),
    resolved: await endedOf(ctx, order, changed),
  };
}

async function endedOf(ctx: InTransaction, order: Order, changed: Tracking | undefined): Promise<ParcelCode[]> {
  const open = parcelCodes.filter((code) => order.needsAttention(code));
  if (open.length === 0) return [];
  const others = await ctx.tx.execute<Progress>(sql`
    select status, overdue_at as "overdueAt" from trackings
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} and id <> ${changed?.id ?? ''}`);
  const parcels = changed ? [...others, changed] : others;
  return open.filter((code) => !parcels.some((parcel) => problemOf(parcel) === code));
}
