import { defineEntity, p } from '@mikro-orm/core';

import { type TrackingStatus, type TrackingUpdate, trackingStatuses } from '../ports/shipping-gateway.ts';

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
    followed: p.boolean(),
    polls: p.integer(),
    nextPollAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A parcel on its way. Its status only ever goes on, in the order of `trackingStatuses`: news come late and twice. */
export class Tracking extends TrackingSchema.class {
  /** Take the news, if they are news. */
  follow({ status, at }: TrackingUpdate, now: Date): boolean {
    if (rankOf(status) <= rankOf(this.status)) return false;
    this.status = status;
    this.statusAt = at ?? now;
    this.updatedAt = now;
    if (isOver(status)) this.nextPollAt = null;
    return true;
  }
}

TrackingSchema.setClass(Tracking);

const rankOf = (status: TrackingStatus) => trackingStatuses.indexOf(status);

/** A parcel that was delivered may yet come back, but then the provider tells us by itself. */
const isOver = (status: TrackingStatus) => status === 'delivered' || status === 'returned';
