import { indexesOf, readPage, type SearchedIndex, searchPage } from '#src/database/read-page.ts';
import { read, readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { found } from '#src/lib/errors.ts';
import { Email, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { allOf, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { typedCode, ungrouped } from '#src/lib/typed-code.ts';
import type { Context } from '../context.ts';
import { customersNamed } from '../customers/index.ts';
import { isUnsent } from '../mail/index.ts';
import type { NewOrderItem } from './create-order.ts';
import { unsentOfItem } from './fulfillment.ts';
import { type Attention, fulfillmentStatuses, orderStatuses } from './order.ts';
import { isOrderOf, orderNumbersMeant } from './order-number.ts';
import { type OrderRecord, type OrderView, presentOrder } from './present.ts';

/**
 * The order with this id, for a shopper who knows its email.
 * @throws DomainError `not_found`, the same for an unknown order and a wrong email
 */
export async function findOrder(ctx: Context, { id, email }: { id: string; email: string }): Promise<OrderView> {
  return found(await readOrderWhere(ctx, sql`o.id = ${id} and o.email = ${normaliseEmail(email)}`), 'order');
}

/**
 * The order with this number, for a shopper who knows its email.
 * @throws DomainError `not_found`, the same for an unknown order and a wrong email
 */
export async function findOrderByNumber(
  ctx: Context,
  { orderNumber, email }: { orderNumber: string; email: string },
): Promise<OrderView> {
  return found(await readOrderWhere(ctx, isOrderOf(ctx, { orderNumber, email })), 'order');
}

/** An order, read with one statement; `undefined` when the store has none with this id. */
export async function readOrder(ctx: Context, id: string): Promise<OrderView | undefined> {
  return readOrderWhere(ctx, sql`o.id = ${id}`);
}

/** Orders that match `condition` (on `orders o`; the tenant is added), the newest first. */
export async function readOrders(ctx: Context, condition: Sql, limit: number): Promise<OrderView[]> {
  const rows = await read<OrderRow>(
    ctx,
    sql`
    ${selectOrder(ctx)} and ${condition} order by o.created_at desc, o.id desc limit ${limit}`,
  );
  return rows.map(presentOrder);
}

/**
 * Orders with an email (trimmed, lower case) that match `condition` (on `orders o`), the newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listOrders(
  ctx: Context,
  email: string,
  condition: Sql,
  page: PageRequest,
): Promise<Page<OrderView>> {
  const { rows, cursor } = await readPage<OrderRow>(
    ctx,
    { ...newest, name: 'orders', of: { column: 'o.email', value: email } },
    page,
    (position) => sql`${selectOrder(ctx, position)} and o.email is not null and ${condition}`,
  );
  return { rows: rows.map(presentOrder), cursor };
}

/** A quantity of an item of an order, to be put into its parcels. */
interface PackedItem {
  readonly orderItemId: string;
  readonly sku: string | null;
  readonly name: string;
  readonly quantity: number;
}

/** An order with what only its store sees. */
export interface ManagedOrder {
  readonly order: OrderView;
  readonly updatedAt: Date;
  readonly importedAt: Date | null;
  /** The most urgent first. */
  readonly attentions: readonly Attention[];
  readonly packingList: readonly PackedItem[];
}

/** Which orders of the store: those of which all of this is true. */
export const OrderFilter = Type.Object({
  status: Type.Optional(Type.Enum([...orderStatuses])),
  fulfillment_status: Type.Optional(Type.Enum([...fulfillmentStatuses])),
  email: Type.Optional(Email),
  needs_attention: Type.Optional(Type.Boolean()),
  without_label: Type.Optional(
    Type.Boolean({ description: 'To be shipped, and no label is bought for it or about to be.' }),
  ),
  email_unsent: Type.Optional(
    Type.Boolean({ description: 'An email about it, or about a return of it, was given up.' }),
  ),
  /** When they were created: from a moment on, and before another. */
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});
export type OrderFilter = Static<typeof OrderFilter>;

/** The condition that an order `o` is paid and to be shipped. */
export const isToShip = sql`
  o.status = any(array['paid', 'partially_refunded']) and o.fulfillment_status = 'unfulfilled'`;

/** The condition that something is sent of an order `o`: not all of it is in returns that were approved before. */
export const isAnySent = sql`
  exists (
    select from order_items i cross join ${unsentOfItem} as u
    where i.tenant_id = o.tenant_id and i.order_id = o.id and i.ships and i.quantity > u.unsent offset 0)`;

/**
 * The condition that something is sent of an order `o` and nothing leads to a label: it was voided, or was to be shipped
 * by hand.
 */
export const hasNoLabel = sql`
  not exists (
    select from labels l
    where l.tenant_id = o.tenant_id and l.order_id = o.id and l.state <> 'voided' and l.state <> 'skipped' offset 0)
  and ${isAnySent}`;

/** The condition that an order `o` matches the filter. */
export function matchesOrder({ tenant }: Pick<Context, 'tenant'>, filter: OrderFilter): Sql {
  const { status, fulfillment_status: fulfillment, email, from, to } = filter;
  const { needs_attention: needsAttention, without_label: withoutLabel, email_unsent: unsentEmail } = filter;
  return allOf(
    status !== undefined && sql`o.status = ${status}`,
    fulfillment !== undefined && sql`o.fulfillment_status = ${fulfillment}`,
    email !== undefined && sql`o.email = ${normaliseEmail(email)}`,
    needsAttention !== undefined && sql`o.attentions ${rawSql(needsAttention ? '<>' : '=')} '[]'`,
    withoutLabel !== undefined &&
      (withoutLabel ? sql`${isToShip} and ${hasNoLabel}` : sql`not (${isToShip} and ${hasNoLabel})`),
    unsentEmail !== undefined &&
      sql`${unsentEmail ? sql`` : sql`not `}o.id = any(array(
        select coalesce(r.order_id, m.subject_id) from mails m
        left join returns r on r.tenant_id = ${tenant.id} and r.id = m.subject_id
        where m.tenant_id = ${tenant.id} and ${isUnsent}))`,
    from !== undefined && sql`o.created_at >= ${from}::timestamptz`,
    to !== undefined && sql`o.created_at < ${to}::timestamptz`,
  );
}

/** The order with this id, as its store sees it; `undefined` when there is none. */
export async function readManagedOrder(ctx: Context, id: string): Promise<ManagedOrder | undefined> {
  const row = await readOne<ManagedRow>(ctx, sql`${selectManagedOrder(ctx)} and o.id = ${id}`);
  return row && managed(row);
}

/** What goes, or went, into the parcels of an order `o`: the goods that ship, without those that are not sent. */
const packingList = sql`
  (select coalesce(json_agg(json_build_object(
      'orderItemId', i.id, 'sku', i.sku, 'name', i.name, 'quantity', i.quantity - u.unsent) order by i.position), '[]')
    from order_items i cross join ${unsentOfItem} as u
    where i.tenant_id = o.tenant_id and i.order_id = o.id and i.ships and i.quantity > u.unsent
      and (o.shipped_at is not null or o.status = any(array['paid', 'partially_refunded'])))`;

const newest = { name: 'managed orders', columns: ['o.created_at', 'o.id'], descending: true } as const;
const updated = { name: 'managed orders by update', columns: ['o.updated_at', 'o.id'] } as const;

/**
 * The orders of a store that match the filter, the newest first, page by page. `q` is an order number, with or without
 * its prefix or number sign, an id, an email, a tracking number, or words of a customer's name. With `updated_since`,
 * those that changed from that moment on, the latest change last: one that changes while pages are read is read again,
 * and none is missed. What no index has as a whole is searched for; see `searchPage`.
 * @throws DomainError `invalid_cursor`
 */
export async function listManagedOrders(
  ctx: Context,
  {
    q,
    updated_since: since,
    cursor,
    limit,
    ...given
  }: PageRequest & OrderFilter & { q?: string; updated_since?: string },
): Promise<Page<ManagedOrder>> {
  const typed = q?.trim();
  const filter = typed?.includes('@') && given.email === undefined ? { ...given, email: typed } : given;
  const named = typed === undefined || typed === filter.email ? undefined : isNamed(ctx, typed);
  // An email may be that of many orders; whatever else is typed, of some at most.
  const isFew = named !== undefined && !typed?.includes('@');
  const matches = matchesOrder(ctx, filter);
  const isWanted = named && !isFew ? sql`${matches} and ${named}` : matches;
  const ofTime = since === undefined ? indexesFor(ctx, filter) : [{ from: since, has: ['since'] }];
  const page = await searchPage<ManagedRow>(
    ctx,
    {
      ...(since === undefined ? newest : updated),
      // `offset 0` reads the named ones first, whatever else is a condition.
      table: isFew
        ? sql`(select o.* from orders o where o.tenant_id = ${ctx.tenant.id} and ${named} offset 0) as o`
        : sql`orders o`,
      alias: sql`o`,
      filter: isFew ? {} : { ...filter, named, since },
      indexes: isFew ? [{ from: since, where: isWanted, has: [] }] : ofTime,
      isWanted,
    },
    { cursor, limit },
    (more, from) => selectManagedOrder(ctx, more, from),
    { replica: true },
  );
  return { rows: page.rows.map(managed), cursor: page.cursor };
}

/** The indexes with all orders that match, of each part of the filter that has one: probably the fewest first. */
function indexesFor(ctx: Context, { from, to, ...filter }: OrderFilter): SearchedIndex[] {
  const email = filter.email === undefined ? undefined : normaliseEmail(filter.email);
  const indexes: SearchedIndex[] = [
    ...indexesOf({ email }, { email: 'o.email' }).map((index) => ({ ...index, where: sql`o.email is not null` })),
    ...(filter.email_unsent === true
      ? [{ where: matchesOrder(ctx, { email_unsent: true }), has: ['email_unsent'] }]
      : []),
    ...(filter.needs_attention === true ? [{ where: sql`o.attentions <> '[]'`, has: ['needs_attention'] }] : []),
    ...(filter.without_label === true ? [{ where: isToShip, has: [] }] : []),
    ...indexesOf(filter, { fulfillment_status: 'o.fulfillment_status', status: 'o.status' }),
  ];
  return (indexes.length > 0 ? indexes : [{ has: [] }]).map((index) => ({
    ...index,
    from,
    to,
    has: [...index.has, 'from', 'to'],
  }));
}

/** Of more customers with a name, the newest are those whose orders are found. */
const namedCustomersMax = 100;
/** So many orders of them are found: of each the same number, and the newest. */
const namedOrdersMax = 1000;

/** The condition that an order is what an owner or operator typed into a search field. */
function isNamed(ctx: Context, typed: string): Sql {
  const { tenant } = ctx;
  if (typed.includes('@')) return sql`o.email = ${normaliseEmail(typed)}`;
  const number = ungrouped(typed);
  const trackingNumbers = [number, typedCode(number)];
  return sql`o.id = any(array(
    with named as materialized (
      select email from (${customersNamed(ctx, typed)}) as c order by id desc limit ${namedCustomersMax})
    select id from orders where tenant_id = ${tenant.id} and order_number = any(${orderNumbersMeant(typed)}::text[])
    union all select id from orders where tenant_id = ${tenant.id} and id = ${typed.toLowerCase()}
    union all select order_id from trackings
      where tenant_id = ${tenant.id} and tracking_number = any(${trackingNumbers}::text[])
    union all select bought.id from named cross join lateral (
      select id from orders
      where tenant_id = ${tenant.id} and email is not null and email >= named.email and email <= named.email
      order by orders.email desc, created_at desc, orders.id desc
      limit (select ${namedOrdersMax}::int / greatest(count(*), 1) from named)) as bought))`;
}

interface ManagedRow extends OrderRow {
  readonly packingList: readonly PackedItem[];
}

const selectManagedOrder = (ctx: Context, more: Sql = sql``, from?: Sql): Sql =>
  selectOrder(ctx, sql`, ${packingList} as "packingList"${more}`, from);

function managed(row: ManagedRow): ManagedOrder {
  const { updatedAt, importedAt, attentions, packingList } = row;
  return { order: presentOrder(row), updatedAt, importedAt, attentions, packingList };
}

/**
 * The items of an order as they are bought again, by position: the goods, of which SKU, weight and whether they ship are
 * those of their variant now, or the last ones of a removed one.
 */
export async function itemsBoughtAgain(ctx: Context, orderId: string): Promise<NewOrderItem[]> {
  return read<NewOrderItem>(
    ctx,
    sql`
    select i.product_id as "productId", i.product_slug as "productSlug", i.variant_id as "variantId",
      i.variant_named as "variantNamed", coalesce(v.sku, i.sku) as sku, i.name, i.quantity,
      i.unit_price_cents as "unitPriceCents", i.discount_cents as "discountCents", i.purchase_type as "purchaseType",
      i.subscription_interval as "subscriptionInterval", coalesce(v.weight_oz, i.weight_oz)::float8 as "weightOz",
      coalesce(v.ships, i.ships) as ships
    from order_items i left join variants v on v.tenant_id = ${ctx.tenant.id} and v.id = i.variant_id
    where i.tenant_id = ${ctx.tenant.id} and i.order_id = ${orderId} order by i.position`,
  );
}

interface OrderRow extends OrderRecord {
  readonly updatedAt: Date;
  readonly importedAt: Date | null;
  readonly attentions: readonly Attention[];
}

async function readOrderWhere(ctx: Context, condition: Sql): Promise<OrderView | undefined> {
  const row = await readOne<OrderRow>(ctx, sql`${selectOrder(ctx)} and ${condition}`);
  return row && presentOrder(row);
}

const selectOrder = (ctx: Context, more: Sql = sql``, from: Sql = sql`orders o`): Sql => sql`
  select o.id, o.order_number as "orderNumber", o.status, o.payment_status as "paymentStatus",
    o.fulfillment_status as "fulfillmentStatus", o.dispute_status as "disputeStatus", o.currency, o.email,
    o.customer_id as "customerId",
    o.subtotal_cents as "subtotalCents", o.discount_cents as "discountCents", o.gift_card_cents as "giftCardCents",
    o.shipping_cents as "shippingCents", o.tax_cents as "taxCents", o.total_cents as "totalCents",
    o.refunded_cents as "refundedCents", o.shipping_address as "shippingAddress", o.labels, o.metadata, o.version,
    o.created_at as "createdAt", o.paid_at as "paidAt", o.shipped_at as "shippedAt",
    o.updated_at as "updatedAt", o.imported_at as "importedAt", o.attentions,
    (select coalesce(json_agg(json_build_object(
        'id', i.id, 'product_id', i.product_id, 'product_slug', i.product_slug, 'variant_id', i.variant_id,
        'sku', i.sku, 'name', i.name, 'quantity', i.quantity, 'unit_price_cents', i.unit_price_cents,
        'total_cents', i.total_cents, 'purchase_type', i.purchase_type,
        'subscription_interval', i.subscription_interval) order by i.position), '[]')
      from order_items i where i.tenant_id = o.tenant_id and i.order_id = o.id) as items${more}
  from ${from}
  where o.tenant_id = ${ctx.tenant.id}`;

/** Whether an order with this email (trimmed, lower case) was ever paid for this product. */
export async function hasBought(
  ctx: Context,
  { email, productId }: { email: string; productId: string },
): Promise<boolean> {
  const bought = await readOne(
    ctx,
    sql`
    select 1 as bought from orders o join order_items i on i.tenant_id = ${ctx.tenant.id} and i.order_id = o.id
    where o.tenant_id = ${ctx.tenant.id} and o.email = ${email} and o.paid_at is not null
      and i.product_id = ${productId}
    limit 1`,
  );
  return bought !== undefined;
}
