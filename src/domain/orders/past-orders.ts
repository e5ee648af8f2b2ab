import { isDeepStrictEqual } from 'node:util';
import { lockNames } from '#src/database/lock-names.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { opaque, sql } from '#src/lib/sql.ts';
import type { IdentifiedChange } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { type PastOrder, type PastOrderInput, planPastOrder } from './plan-past-order.ts';

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
    const order = planPastOrder(ctx, number, input);
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
      select * from orders o where o.tenant_id = ${opaque(tenant.id)} and o.order_number = wanted.number offset 0) as o`);
  return new Map(
    existing.map(({ id, order_number: number, created_at: at, ...order }) => [
      number,
      { id, content: contentOf({ ...order, created_at: at.toISOString() }) },
    ]),
  );
}

type ExistingOrder = Omit<Content, 'created_at'> &
  Pick<PastOrder, 'id' | 'order_number'> & { readonly created_at: Date };

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
          select c.id from customers c where c.tenant_id = ${opaque(tenant.id)} and c.email = o.email),
        subtotal_cents, discount_cents, shipping_cents, tax_cents, total_cents, refunded_cents, shipping_address, labels,
        created_at, ${now}::timestamptz, paid_at, shipped_at, delivered_at, ${now}::timestamptz
      from jsonb_populate_recordset(null::orders, ${JSON.stringify(orders)}::jsonb) as o)
    insert into order_items (tenant_id, id, order_id, position, product_id, product_slug, variant_id, variant_named, sku,
      name, quantity, unit_price_cents, discount_cents, total_cents, purchase_type, weight_oz, ships)
    select ${tenant.id}, i.id, i.order_id, i.position, coalesce(v.product_id, i.product_id),
      coalesce((
          select p.slug from products p where p.tenant_id = ${opaque(tenant.id)} and p.id = v.product_id
        ), i.product_slug, ''), coalesce(v.id, i.variant_id), v.id is not null, i.sku, i.name, i.quantity,
      i.unit_price_cents, i.discount_cents, i.total_cents, 'one_time', v.weight_oz, coalesce(v.ships, true)
    from jsonb_populate_recordset(null::order_items, ${JSON.stringify(items)}::jsonb) as i
      left join lateral (
        select * from variants where tenant_id = ${opaque(tenant.id)} and sku = i.sku and removed_at is null offset 0
      ) as v on true`);
}
