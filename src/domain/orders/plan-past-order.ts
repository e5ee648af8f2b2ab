import { normaliseEmail } from '#src/lib/email-address.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import {
  AnyCaseCountry,
  Cents,
  Currency,
  Email,
  Name,
  Omittable,
  type Static,
  Text,
  Timestamp,
  TrackingNumber,
  Type,
} from '#src/lib/schema.ts';
import type { Context } from '../context.ts';
import type { TrackingStatus } from '../ports/shipping-gateway.ts';

/** An order that was made elsewhere, before the store moved here. */
export const PastOrderInput = Type.Object({
  /** As it was given elsewhere. */
  order_number: Name(50, { examples: ['#1001'] }),
  email: Omittable(Email),
  created_at: Timestamp,
  status: Omittable(Type.Enum(['paid', 'partially_refunded', 'refunded', 'canceled'])),
  fulfillment_status: Omittable(Type.Enum(['unfulfilled', 'shipped', 'delivered', 'returned', 'not_required'])),
  currency: Omittable(Currency),
  discount_cents: Omittable(Cents),
  shipping_cents: Omittable(Cents),
  tax_cents: Omittable(Cents),
  /** Default: the sum of the other amounts. */
  total_cents: Omittable(Cents),
  refunded_cents: Omittable(Cents),
  shipping_address: Omittable(
    Type.Object({
      name: Omittable(Text(200)),
      street1: Omittable(Text(200)),
      street2: Omittable(Text(200)),
      city: Omittable(Text(200)),
      state: Omittable(Text(100)),
      zip: Omittable(Text(40)),
      country: Omittable(AnyCaseCountry),
      phone: Omittable(Text(40)),
    }),
  ),
  carrier: Omittable(Text(100)),
  tracking_number: Omittable(TrackingNumber),
  items: Type.Array(
    Type.Object({
      sku: Omittable(Text(100, { trimmed: true })),
      product_slug: Omittable(Text(100)),
      name: Name(400, { trimmed: true }),
      quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      unit_price_cents: Cents,
      discount_cents: Omittable(Cents),
    }),
    { minItems: 1, maxItems: 500 },
  ),
});
export type PastOrderInput = Static<typeof PastOrderInput>;

export type PastOrder = ReturnType<typeof planPastOrder>;

/**
 * The order that an input describes. Nothing is read or written.
 * @throws DomainError `invalid_request` for amounts that contradict each other or the status
 */
export function planPastOrder({ tenant }: Context, number: string, input: PastOrderInput) {
  const createdAt = new Date(input.created_at);
  const items = input.items.map((item, position) => {
    const discount = item.discount_cents ?? 0;
    const price = item.unit_price_cents * item.quantity;
    checkMaximum(`/items/${position}/discount_cents`, discount, price);
    const ids = { id: newId('item', createdAt), product_id: newId('prod'), variant_id: newId('var') };
    return { ...item, ...ids, position, discount_cents: discount, total_cents: price - discount };
  });
  const subtotal = items.reduce((sum, { total_cents: cents }) => sum + cents, 0);
  const { discount_cents: discount, shipping_cents: shipping, tax_cents: tax } = input;
  checkMaximum('/discount_cents', discount ?? 0, subtotal);
  const total = input.total_cents ?? subtotal - (discount ?? 0) + (shipping ?? 0) + (tax ?? 0);
  const refunded = input.refunded_cents ?? (input.status === 'refunded' ? total : 0);
  checkMaximum('/refunded_cents', refunded, total);
  const status = input.status ?? statusOf(refunded, total);
  checkStatus(status, refunded, total);
  const isPaid = status !== 'canceled';
  const fulfillment = input.fulfillment_status ?? (isPaid ? 'delivered' : 'not_required');
  const parcelStatus = parcelStatuses[fulfillment];
  const at = createdAt.toISOString();
  return {
    id: newId('ord', createdAt),
    order_number: number,
    status,
    payment_status: isPaid ? status : 'unpaid',
    fulfillment_status: fulfillment,
    currency: input.currency ?? tenant.currency,
    email: input.email ? normaliseEmail(input.email) : null,
    subtotal_cents: subtotal,
    discount_cents: discount ?? 0,
    shipping_cents: shipping ?? 0,
    tax_cents: tax ?? 0,
    total_cents: total,
    refunded_cents: refunded,
    shipping_address: input.shipping_address ? addressOf(input.shipping_address) : null,
    labels: input.tracking_number ? [parcelOf(input.tracking_number, input.carrier, parcelStatus)] : [],
    created_at: at,
    paid_at: isPaid ? at : null,
    shipped_at: parcelStatus ? at : null,
    delivered_at: fulfillment === 'delivered' ? at : null,
    items,
  };
}

type Status = NonNullable<PastOrderInput['status']>;

/** The status of an order that was paid. */
function statusOf(refunded: number, total: number): Status {
  if (refunded === 0) return 'paid';
  return refunded < total ? 'partially_refunded' : 'refunded';
}

/** @throws DomainError `invalid_request` for a status that contradicts what was refunded */
function checkStatus(status: Status, refunded: number, total: number): void {
  const [isRight, expected] = {
    paid: [refunded === 0, 'be 0'],
    canceled: [refunded === 0, 'be 0'],
    partially_refunded: [refunded > 0 && refunded < total, 'be a part of the total'],
    refunded: [refunded === total, 'be the total'],
  }[status] as [boolean, string];
  if (isRight) return;
  throw invalidRequest('The status contradicts what was refunded.', {
    path: '/refunded_cents',
    code: 'status',
    detail: `must ${expected}, as the status is ${status}`,
  });
}

/** @throws DomainError `invalid_request` for an amount above the highest one */
function checkMaximum(path: string, cents: number, maximum: number): void {
  if (cents <= maximum) return;
  throw invalidRequest('The amount is too high.', { path, code: 'maximum', detail: `must be at most ${maximum}` });
}

const addressOf = (given: NonNullable<PastOrderInput['shipping_address']>) => ({
  name: null,
  street1: null,
  street2: null,
  city: null,
  state: null,
  zip: null,
  phone: null,
  email: null,
  country: null,
  ...given,
});

/** The status of the parcel of an order whose goods were sent. */
const parcelStatuses: Partial<Record<NonNullable<PastOrderInput['fulfillment_status']>, TrackingStatus>> = {
  shipped: 'transit',
  delivered: 'delivered',
  returned: 'returned',
};

const parcelOf = (trackingNumber: string, carrier: string | null | undefined, status: TrackingStatus | undefined) => ({
  carrier: carrier ?? '',
  service: null,
  tracking_number: trackingNumber,
  tracking_url: null,
  status: status ?? null,
});
