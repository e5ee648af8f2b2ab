import { defineEntity, p } from '@mikro-orm/core';
import { changedFields, lockRow } from '#src/database/rows.ts';
import { follow, mayFollow, type StateTable } from '#src/lib/state-table.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { eventTypes } from '#src/outbox/events.ts';
import type { InTransaction } from '../context.ts';
import type { ShopperAddress } from '../ports/payment-snapshots.ts';

export const orderStatuses = [
  'pending',
  'paid',
  'payment_failed',
  'expired',
  'canceled',
  'partially_refunded',
  'refunded',
] as const;
export const paymentStatuses = ['unpaid', 'processing', 'paid', 'failed', 'partially_refunded', 'refunded'] as const;
export const fulfillmentStatuses = [
  'unfulfilled',
  'label_purchased',
  'shipped',
  'delivered',
  'returned',
  'exception',
  'needs_attention',
  'not_required',
] as const;

/** Of the disputes of an order's payment by the shopper's bank. `lost` where any of them was. */
export const disputeStatuses = ['open', 'won', 'lost'] as const;

export type OrderStatus = (typeof orderStatuses)[number];
export type PaymentStatus = (typeof paymentStatuses)[number];
export type DisputeStatus = (typeof disputeStatuses)[number];
export type FulfillmentStatus = (typeof fulfillmentStatuses)[number];

export interface ShippingAddress extends ShopperAddress {
  readonly phone: string | null;
  readonly email: string | null;
}

/** A parcel as the order's owner and its shopper see it. */
export interface OrderLabel {
  readonly carrier: string;
  readonly service: string | null;
  readonly tracking_number: string;
  readonly tracking_url: string | null;
  readonly status: string | null;
}

/** The recipient of a gift, who gets an email once the order is paid. */
export interface Gift {
  readonly recipient_email: string;
  readonly recipient_name: string | null;
  readonly message: string | null;
  readonly product_name: string;
  readonly months: number;
}

/**
 * A late payment pays an order that had expired, failed or was canceled, so that no charge is lost. A refund can fail
 * days later, and then the order is `paid` again.
 */
const statusTable: StateTable<OrderStatus> = {
  pending: ['paid', 'payment_failed', 'expired', 'canceled'],
  payment_failed: ['paid'],
  expired: ['paid'],
  canceled: ['paid'],
  paid: ['partially_refunded', 'refunded'],
  partially_refunded: ['refunded', 'paid'],
  refunded: ['partially_refunded', 'paid'],
};

const paymentTable: StateTable<PaymentStatus> = {
  unpaid: ['processing', 'paid', 'failed'],
  processing: ['paid', 'failed'],
  failed: ['processing', 'paid'],
  paid: ['partially_refunded', 'refunded'],
  partially_refunded: ['refunded', 'paid'],
  refunded: ['partially_refunded', 'paid'],
};

const fulfillmentTable: StateTable<FulfillmentStatus> = {
  unfulfilled: ['label_purchased', 'shipped', 'delivered', 'returned', 'exception', 'needs_attention', 'not_required'],
  needs_attention: ['unfulfilled', 'label_purchased', 'shipped', 'delivered', 'returned', 'exception', 'not_required'],
  label_purchased: ['unfulfilled', 'shipped', 'delivered', 'returned', 'exception', 'needs_attention'],
  shipped: ['delivered', 'returned', 'exception'],
  exception: ['shipped', 'delivered', 'returned'],
  delivered: ['returned'],
  // Of several parcels one came back, and another arrived: perhaps the goods that were sent again.
  returned: ['delivered'],
  not_required: [],
};

const OrderSchema = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    /** Null for an order that was imported. */
    number: p.bigint('number').nullable(),
    orderNumber: p.string(),
    status: p.enum(orderStatuses),
    paymentStatus: p.enum(paymentStatuses),
    fulfillmentStatus: p.enum(fulfillmentStatuses),
    /** Null while its payment was never disputed. */
    disputeStatus: p.enum(disputeStatuses).nullable(),
    currency: p.string(),
    email: p.string().nullable(),
    customerId: p.string().nullable(),
    subtotalCents: p.bigint('number'),
    discountCents: p.bigint('number'),
    giftCardCents: p.bigint('number'),
    shippingCents: p.bigint('number'),
    taxCents: p.bigint('number'),
    totalCents: p.bigint('number'),
    refundedCents: p.bigint('number'),
    /** The provider's ids of the refunds that its shopper was emailed about, or that need no email. */
    reportedRefunds: p.json<string[]>().default([]),
    shippingAddress: p.json<ShippingAddress>().nullable(),
    labels: p.json<OrderLabel[]>(),
    /** Why it needs attention, the most urgent first. Each one is resolved by its own cause. */
    attentions: p.json<Attention[]>(),
    promoCode: p.string().nullable(),
    partnerCode: p.string().nullable(),
    cartId: p.string().nullable(),
    metadata: p.json<Record<string, unknown>>(),
    gift: p.json<Gift>().nullable(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    paidAt: p.datetime().nullable(),
    /** The provider's id of the payment; null where nothing was due. */
    paymentId: p.string().nullable(),
    /**
     * The number of the last snapshot of the payment's refunds that was applied: one with a lower number is dropped.
     */
    paymentSnapshotNumber: p.bigint('number').default(0),
    shippedAt: p.datetime().nullable(),
    deliveredAt: p.datetime().nullable(),
    /** When an order was imported that was made elsewhere. Nothing is charged, refunded or sent for it here. */
    importedAt: p.datetime().nullable(),
  },
});

/**
 * A shopper's order. Its three states change only through these methods, as the tables above allow; only the correction
 * of a mistake goes back.
 */
export class Order extends OrderSchema.class {
  moveTo(status: OrderStatus): void {
    this.status = follow(statusTable, this.status, status);
  }

  movePaymentTo(status: PaymentStatus): void {
    this.paymentStatus = follow(paymentTable, this.paymentStatus, status);
  }

  moveFulfillmentTo(status: FulfillmentStatus): void {
    this.fulfillmentStatus = follow(fulfillmentTable, this.fulfillmentStatus, status);
  }

  mayMoveFulfillmentTo(status: FulfillmentStatus): boolean {
    return mayFollow(fulfillmentTable, this.fulfillmentStatus, status);
  }

  /** What moved it was a mistake, or reported of a parcel that is not its own: this is true. */
  correctFulfillment(status: FulfillmentStatus): void {
    if (status !== 'delivered' && status !== 'returned') this.deliveredAt = null;
    if (status === 'unfulfilled' || status === 'label_purchased') this.shippedAt = null;
    this.fulfillmentStatus = status;
  }

  /** Whether it was paid, even if it was refunded since. */
  get isPaid(): boolean {
    return this.paidAt !== null;
  }

  /**
   * Flag the order for an operator. An attention with the same code is replaced.
   * @returns whether the code was new
   */
  flag(attention: Attention): boolean {
    const isNew = !this.needsAttention(attention.code);
    this.attentions = withAttention(this.attentions, attention);
    return isNew;
  }

  /** Resolve the attentions with these codes. Others stay open. */
  resolve(...codes: readonly string[]): void {
    this.attentions = withoutAttentions(this.attentions, codes);
  }

  needsAttention(code: string): boolean {
    return this.attentions.some((open) => open.code === code);
  }
}

OrderSchema.setClass(Order);

/** The fields of an order that the API, the webhooks and the emails show. */
export const shownFields = [
  'id',
  'orderNumber',
  'status',
  'paymentStatus',
  'fulfillmentStatus',
  'disputeStatus',
  'currency',
  'email',
  'customerId',
  'subtotalCents',
  'discountCents',
  'giftCardCents',
  'shippingCents',
  'taxCents',
  'totalCents',
  'refundedCents',
  'shippingAddress',
  'labels',
  'metadata',
  'createdAt',
  'paidAt',
  'shippedAt',
] as const satisfies readonly (keyof Order)[];

/** Why an order needs attention: a stable code, and a message. */
export interface Attention {
  readonly code: string;
  readonly detail: string;
}

/**
 * The order, locked until the transaction ends. A transaction about an order locks it before anything else. A second
 * call in the same transaction returns the loaded entity, because orders are loaded nowhere else.
 */
export async function lockOrder(ctx: InTransaction, id: string): Promise<Order | undefined> {
  return ctx.tx.em.getUnitOfWork().getById(Order, [ctx.tenant.id, id]) ?? lockRow(ctx, Order, id);
}

/**
 * Flush the changes of an order, so that later statements see them. Without changes its version stays. `order.updated`
 * is recorded where what is shown of a paid order changes, unless this transaction has recorded another event of it or
 * one of its label, which says the same.
 */
export async function saveOrder(ctx: InTransaction, order: Order): Promise<void> {
  const changed = changedFields(ctx, order);
  if (changed.length === 0) return;
  const wasPaid = order.isPaid && !changed.includes('paidAt');
  const isShown = changed.some((field) => shownFields.some((shown) => shown === field));
  const hasEvent = ctx.tx.events.some((event) => event.object_id === order.id || eventTypes[event.type] === 'label');
  if (wasPaid && isShown && !hasEvent) recordEvent(ctx, 'order.updated', order.id);
  order.updatedAt = ctx.clock.now();
  await ctx.tx.em.flush();
}

/** Disputes first, because they have a deadline, then money, then goods that must not be sent. Other codes follow. */
const mostUrgent = [
  'disputed',
  'dispute_lost',
  'paid_twice',
  'amount_mismatch',
  'payment_missing',
  'refund_failed',
  'oversold',
  'gift_card_spent',
  'duplicate_subscription',
  'renewal_unknown',
];

/** Add an attention, the most urgent first. One with the same code is replaced. */
function withAttention(open: readonly Attention[], added: Attention): Attention[] {
  const others = withoutAttentions(open, [added.code]);
  return [...others, added].toSorted((left, right) => rankOf(left) - rankOf(right));
}

/** Remove the attentions with these codes. */
function withoutAttentions(open: readonly Attention[], codes: readonly string[]): Attention[] {
  return open.filter(({ code }) => !codes.includes(code));
}

function rankOf({ code }: Attention): number {
  const rank = mostUrgent.indexOf(code);
  return rank === -1 ? mostUrgent.length : rank;
}
