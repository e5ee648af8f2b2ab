import { indexesOf, type SearchedIndex, searchPage } from '#src/database/read-page.ts';
import { readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { Email, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { allOf, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { typedCode, ungrouped } from '#src/lib/typed-code.ts';
import type { Context } from '../context.ts';
import { customersNamed } from '../customers/index.ts';
import { isUnsent } from '../mail/index.ts';
import { unsentOfItem } from './fulfillment.ts';
import { type Attention, fulfillmentStatuses, orderStatuses } from './order.ts';
import { orderNumbersMeant } from './order-number.ts';
import { type OrderView, presentOrder } from './present.ts';
import { newest, type OrderRow, selectOrder } from './read-order.ts';

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
      ...(since === undefined ? { ...newest, name: 'managed orders' } : updated),
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
