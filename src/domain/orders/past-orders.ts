import { isDeepStrictEqual } from 'node:util';
import { lockNames } from '#src/database/lock-names.ts';
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
import { sql } from '#src/lib/sql.ts';
import type { IdentifiedChange } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
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
      sku: Omittable(Text(100)),
      product_slug: Omittable(Text(100)),
      name: Name(400),
      quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      unit_price_cents: Cents,
      discount_cents: Omittable(Cents),
    }),
    { minItems: 1, maxItems: 500 },
  ),
});
export type PastOrderInput = Static<typeof PastOrderInput>;

/** A number that this service gives. An order of the future could have it. */
const ownNumber = /^ORD-\d+$/;

/**
 * Store orders that were made elsewhere. Nothing follows from them: no label, email, event, change of stock or entry in
 * the accounts. One that exists is unchanged.
 * @throws DomainError `invalid_request`, also for one that exists with other content
 */
export async function savePastOrders(
  ctx: InTransaction,
  inputs: readonly PastOrderInput[],
): Promise<IdentifiedChange[]> {
  const numbers = inputs.map(({ order_number: number }) => number.trim().toUpperCase());
  const own = numbers.find((number) => ownNumber.test(number));
  if (own) throw invalidRequest(`${own} may be the number of an order of this store. Import it with another prefix.`);
  if (inputs.some(({ created_at: at }) => new Date(at) > ctx.clock.now()))
    throw invalidRequest('An order of the past was not made in the future.', {
      path: '/created_at',
      code: 'maximum',
      detail: 'must not be in the future',
    });
  await lockNames(ctx, 'past order', numbers);
  const known = await readExisting(ctx, numbers);
  const added: PastOrder[] = [];
  const changes = inputs.map((input, index): IdentifiedChange => {
    const number = numbers[index] ?? '';
    const order = pastOrder(ctx, number, input);
    const existing = known.get(number);
    const content = contentOf(order);
    if (existing && !isDeepStrictEqual(existing.content, content))
      throw invalidRequest(
        `Order ${number} was imported with other content, and imported orders are not changed. ` +
          'Rows of one order must follow each other in the file.',
      );
    if (existing) return { id: existing.id, subject: `order ${number}`, action: 'unchanged', fields: [] };
    known.set(number, { id: order.id, content });
    added.push(order);
    return { id: order.id, subject: `order ${number}`, action: 'created', fields: [] };
  });
  if (added.length > 0) await insertOrders(ctx, added);
  return changes;
}

type PastOrder = ReturnType<typeof pastOrder>;

function pastOrder({ tenant }: Context, number: string, input: PastOrderInput) {
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

const orderContent = [
  'status',
  'currency',
  'email',
  'created_at',
  'discount_cents',
  'shipping_cents',
  'tax_cents',
  'total_cents',
  'refunded_cents',
] as const;
const itemContent = ['sku', 'name', 'quantity', 'unit_price_cents', 'discount_cents'] as const;

type Content = Pick<PastOrder, (typeof orderContent)[number]> & {
  readonly items: readonly Pick<PastOrder['items'][number], (typeof itemContent)[number]>[];
};

/** What does not change once an order was imported. Its delivery and its address may. */
function contentOf(order: Content) {
  const items = order.items.map((item) => itemContent.map((name) => item[name] ?? null));
  return [...orderContent.map((name) => order[name]), items];
}

/** The orders that exist, by their numbers. */
async function readExisting({ tx, tenant }: InTransaction, numbers: readonly string[]) {
  const existing = await tx.execute<ExistingOrder>(sql`
    select o.id, o.order_number, o.status, o.currency, o.email, o.created_at, o.discount_cents, o.shipping_cents,
      o.tax_cents, o.total_cents, o.refunded_cents, (
        select json_agg(i order by i.position) from order_items i
        where i.tenant_id = o.tenant_id and i.order_id = o.id) as items
    from unnest(${numbers}::text[]) as wanted(number) cross join lateral (
      select * from orders o where o.tenant_id = ${tenant.id} and o.order_number = wanted.number offset 0) as o`);
  return new Map(
    existing.map(({ id, order_number: number, created_at: at, ...order }) => [
      number,
      { id, content: contentOf({ ...order, created_at: at.toISOString() }) },
    ]),
  );
}

type ExistingOrder = Omit<Content, 'created_at'> &
  Pick<PastOrder, 'id' | 'order_number'> & { readonly created_at: Date };

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

/**
 * An item is of the product whose variant has its SKU now, if there is one. `offset 0` and the subqueries look up what
 * each row needs: of tables without statistics, a join may read all products of the store for each item.
 */
async function insertOrders(ctx: InTransaction, orders: readonly PastOrder[]): Promise<void> {
  const { tenant, clock } = ctx;
  const now = clock.now();
  const items = orders.flatMap(({ id, items }) => items.map((item) => ({ ...item, order_id: id })));
  await ctx.tx.execute(sql`
    with added as (
      insert into orders (tenant_id, id, order_number, status, payment_status, fulfillment_status, currency, email,
        customer_id, subtotal_cents, discount_cents, shipping_cents, tax_cents, total_cents, refunded_cents,
        shipping_address, labels, created_at, updated_at, paid_at, shipped_at, delivered_at, imported_at)
      select ${tenant.id}, o.id, order_number, status, payment_status, fulfillment_status, currency, o.email, (
          select c.id from customers c where c.tenant_id = ${tenant.id} and c.email = o.email),
        subtotal_cents, discount_cents, shipping_cents, tax_cents, total_cents, refunded_cents, shipping_address, labels,
        created_at, ${now}::timestamptz, paid_at, shipped_at, delivered_at, ${now}::timestamptz
      from jsonb_populate_recordset(null::orders, ${JSON.stringify(orders)}::jsonb) as o)
    insert into order_items (tenant_id, id, order_id, position, product_id, product_slug, variant_id, variant_named, sku,
      name, quantity, unit_price_cents, discount_cents, total_cents, purchase_type, weight_oz, ships)
    select ${tenant.id}, i.id, i.order_id, i.position, coalesce(v.product_id, i.product_id),
      coalesce((
          select p.slug from products p where p.tenant_id = ${tenant.id} and p.id = v.product_id
        ), i.product_slug, ''), coalesce(v.id, i.variant_id), v.id is not null, i.sku, i.name, i.quantity,
      i.unit_price_cents, i.discount_cents, i.total_cents, 'one_time', v.weight_oz, coalesce(v.ships, true)
    from jsonb_populate_recordset(null::order_items, ${JSON.stringify(items)}::jsonb) as i
      left join lateral (
        select * from variants where tenant_id = ${tenant.id} and sku = i.sku and removed_at is null offset 0
      ) as v on true`);
}
