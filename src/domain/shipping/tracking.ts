import { defineEntity, p } from '@mikro-orm/core';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { FulfillmentStatus, Order } from '../orders/index.ts';
import { type TrackingStatus, type TrackingUpdate, trackingStatuses } from '../ports/shipping-gateway.ts';
import type { Label } from './label.ts';

const TrackingSchema = defineEntity({
  name: 'Tracking',
  tableName: 'trackings',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    orderId: p.string(),
    labelId: p.string().nullable(),
    carrier: p.string(),
    carrierName: p.string(),
    service: p.string().nullable(),
    trackingNumber: p.string(),
    trackingUrl: p.string().nullable(),
    status: p.enum(trackingStatuses),
    statusAt: p.datetime().nullable(),
    /** When it was found to be on its way for too long. */
    overdueAt: p.datetime().nullable(),
    followed: p.boolean(),
    polls: p.integer(),
    nextPollAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/**
 * A parcel in transit. Its status only moves forward, in the order of `trackingStatuses`, because updates arrive late
 * and twice.
 */
export class Tracking extends TrackingSchema.class {
  /** Apply an update. @returns whether it changed the status */
  apply({ status, at }: TrackingUpdate, now: Date): boolean {
    if (rankOf(status) <= rankOf(this.status)) return false;
    this.status = status;
    this.statusAt = at ?? now;
    if (status === 'transit') this.overdueAt = null;
    this.updatedAt = now;
    if (isOver(status)) this.nextPollAt = null;
    return true;
  }

  /**
   * Note, once, that it has been on its way for too long. Only of one that the provider tracks, and that left: that of a
   * label may still wait to be packed.
   * @returns whether it was noted
   */
  noteOverdue(now: Date): boolean {
    const hasLeft = this.status === 'transit' || (!this.labelId && !fulfillmentFor[this.status]);
    const since = this.statusAt ?? this.createdAt;
    if (this.overdueAt || !this.followed || !hasLeft || now.getTime() - since.getTime() < overdueAfterMs) return false;
    this.overdueAt = now;
    this.updatedAt = now;
    return true;
  }
}

TrackingSchema.setClass(Tracking);

/** What the status of a parcel says about its order. */
export const fulfillmentFor: Partial<Record<TrackingStatus, FulfillmentStatus>> = {
  transit: 'shipped',
  failure: 'exception',
  delivered: 'delivered',
  returned: 'returned',
};

const rankOf = (status: TrackingStatus) => trackingStatuses.indexOf(status);

/** A delivered parcel may still be returned, but the provider sends a webhook then: no poll is needed. */
const isOver = (status: TrackingStatus) => status === 'delivered' || status === 'returned';

/**
 * Carriers call a parcel lost two or three weeks after it was handed over, and accept claims until 60 days after that.
 */
const overdueAfterMs = days(21);

/** How often a parcel in transit is polled, besides the provider's webhooks. */
export const pollEveryMs = hours(6);

/** Track the parcel of a label that was bought here: the provider tracks it by itself. */
export function beginTracking(ctx: InTransaction, label: Label): void {
  const { rate, trackingNumber } = label;
  if (!rate || !trackingNumber) return;
  insertTracking(ctx, {
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
  /** Whether the provider tracks it already. */
  readonly followed: boolean;
  readonly firstPollMs: number;
}

export function insertTracking(ctx: InTransaction, parcel: NewTracking): void {
  const now = ctx.clock.now();
  ctx.tx.changes.push(sql`
    insert into trackings (tenant_id, id, order_id, label_id, carrier, carrier_name, service, tracking_number,
      tracking_url, status, followed, polls, next_poll_at, created_at, updated_at)
    values (${ctx.tenant.id}, ${newId('trk')}, ${parcel.orderId}, ${parcel.labelId}, ${parcel.carrier},
      ${parcel.carrierName}, ${parcel.service}, ${parcel.trackingNumber}, ${parcel.trackingUrl}, 'pre_transit',
      ${parcel.followed}, 0, ${fromNow(ctx.clock, parcel.firstPollMs)}, ${now}, ${now})
    on conflict (tenant_id, tracking_number, carrier, order_id) do nothing`);
}

/** Whether the order was sent in another parcel, and that of the label has not moved. */
export async function wasReplaced(ctx: InTransaction, order: Order, label: Label): Promise<boolean> {
  const [own] = await ctx.tx.execute<{ status: TrackingStatus }>(sql`
    select status from trackings
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} and label_id = ${label.id}`);
  const isOther = order.labels.some(({ tracking_number: number }) => number !== label.trackingNumber);
  return isOther && own?.status === 'pre_transit';
}

/** The parcel of this label will not be sent: stop polling it, and take it out of its order. The caller saves that. */
export async function unlinkParcel(ctx: InTransaction, order: Order, label: Label): Promise<void> {
  await ctx.tx.execute(sql`
    update trackings set next_poll_at = null
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} and label_id = ${label.id}`);
  order.labels = order.labels.filter(({ tracking_number: number }) => number !== label.trackingNumber);
}
