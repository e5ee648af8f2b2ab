import { indexesOf, searchPage } from '#src/database/read-page.ts';
import { read, readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Cents, Currency, Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { allOf, type Sql, sql } from '#src/lib/sql.ts';
import { SubscriptionInterval } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { ShippingAddressView } from '../orders/index.ts';
import { subscriptionStatuses } from './subscription.ts';

/** A subscription as the API, the webhooks and the emails show it. */
export const SubscriptionView = Type.Object(
  {
    id: Id('sub'),
    payment_subscription_id: Type.String({ examples: ['sub_1Qx'] }),
    status: Type.Enum([...subscriptionStatuses]),
    product_id: Id('prod'),
    product_name: Nullable(Type.String({ examples: ['Coffee beans'] })),
    variant_id: Nullable(Id('var')),
    interval: SubscriptionInterval,
    quantity: Type.Integer({ examples: [1] }),
    unit_price_cents: Cents,
    currency: Currency,
    current_period_end: Timestamp,
    cancel_at_period_end: Type.Boolean(),
    canceled_at: Nullable(Timestamp),
    customer: Type.Object({ id: Nullable(Id('cus')), email: Nullable(Email) }),
    shipping_address: Nullable(ShippingAddressView),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'Subscription' },
);
export type SubscriptionView = Static<typeof SubscriptionView>;

type SubscriptionRecord = Omit<RowOf<typeof SubscriptionView>, 'customer'> & {
  readonly customerId: string | null;
  readonly email: string | null;
};

function presentSubscription(subscription: SubscriptionRecord): SubscriptionView {
  const { customerId: id, email } = subscription;
  return presentAs(SubscriptionView, { ...subscription, customer: { id, email } });
}

/** @returns the subscription, read with one statement; `undefined` when the store has none with this id */
export async function readSubscription(ctx: Context, id: string): Promise<SubscriptionView | undefined> {
  const row = await readOne<SubscriptionRecord>(ctx, sql`${select(ctx)} and s.id = ${id}`);
  return row && presentSubscription(row);
}

/** Subscriptions that match `condition` (on `subscriptions s`; the tenant is added), newest first. */
export async function readSubscriptions(ctx: Context, condition: Sql, limit: number): Promise<SubscriptionView[]> {
  const rows = await read<SubscriptionRecord>(
    ctx,
    sql`
    ${select(ctx)} and ${condition} order by s.created_at desc, s.id desc limit ${limit}`,
  );
  return rows.map(presentSubscription);
}

const newest = { name: 'subscriptions', columns: ['s.id'], descending: true } as const;

/** Which subscriptions of the store: those of which all of this is true. */
export const SubscriptionFilter = Type.Object({
  status: Type.Optional(Type.Enum([...subscriptionStatuses])),
  email: Type.Optional(Email),
  product_id: Type.Optional(Id('prod')),
  variant_id: Type.Optional(Id('var')),
});
export type SubscriptionFilter = Static<typeof SubscriptionFilter>;

/** The condition that a subscription `s` matches the filter. */
export function matchesSubscription(filter: SubscriptionFilter): Sql {
  const { status, email, product_id: productId, variant_id: variantId } = filter;
  return allOf(
    status !== undefined && sql`s.status = ${status}`,
    email !== undefined && sql`s.email = ${normaliseEmail(email)}`,
    productId !== undefined && sql`s.product_id = ${productId}`,
    variantId !== undefined && sql`s.variant_id = ${variantId}`,
  );
}

/**
 * The subscriptions of a store that match the filter, newest first, one page.
 * @throws DomainError `invalid_cursor`
 */
export async function listSubscriptions(
  ctx: Context,
  { cursor, limit, ...filter }: PageRequest & SubscriptionFilter,
): Promise<Page<SubscriptionView>> {
  const { rows, cursor: next } = await searchPage<SubscriptionRecord>(
    ctx,
    {
      ...newest,
      table: sql`subscriptions s`,
      alias: sql`s`,
      filter,
      indexes: indexesOf(
        { ...filter, email: filter.email && normaliseEmail(filter.email) },
        { email: 's.email', variant_id: 's.variant_id', product_id: 's.product_id', status: 's.status' },
      ),
    },
    { cursor, limit },
    (more, from) => select(ctx, more, from),
  );
  return { rows: rows.map(presentSubscription), cursor: next };
}

/** Of subscriptions `s`: the changed address, or that of the order that began it. */
export const subscriptionAddress = sql`coalesce(s.shipping_address, (
  select o.shipping_address from orders o where o.tenant_id = s.tenant_id and o.id = s.order_id))`;

const select = (ctx: Context, more: Sql = sql``, from: Sql = sql`subscriptions s`): Sql => sql`
  select s.id, s.payment_subscription_id as "paymentSubscriptionId", s.status, s.product_id as "productId",
    (select p.name from products p where p.tenant_id = s.tenant_id and p.id = s.product_id) as "productName",
    s.variant_id as "variantId", s.interval, s.quantity, s.unit_price_cents as "unitPriceCents", s.currency,
    s.current_period_end as "currentPeriodEnd", s.cancel_at_period_end as "cancelAtPeriodEnd",
    s.canceled_at as "canceledAt", s.customer_id as "customerId", s.email,
    ${subscriptionAddress} as "shippingAddress",
    s.version, s.created_at as "createdAt"${more}
  from ${from} where s.tenant_id = ${ctx.tenant.id}`;

export interface LiveSubscription {
  readonly productId: string;
  readonly paymentSubscriptionId: string;
}

/** The live subscriptions of this email to any of these products. All but `canceled` ones prevent another. */
export async function liveSubscriptions(
  ctx: Context,
  { email, productIds }: { email: string; productIds: readonly string[] },
): Promise<LiveSubscription[]> {
  return read<LiveSubscription>(
    ctx,
    sql`
    select product_id as "productId", payment_subscription_id as "paymentSubscriptionId" from subscriptions
    where tenant_id = ${ctx.tenant.id} and email = ${normaliseEmail(email)} and product_id = any(${productIds})
      and status <> 'canceled'
    order by id`,
  );
}

/**
 * All live subscriptions of this email (trimmed, lower case) as JSON, as a subquery for another statement. One with
 * several variants of a product is listed once.
 */
export const liveSubscriptionsOf = (ctx: Context, email: string | null): Sql => sql`
  (select coalesce(json_agg(json_build_object(
      'productId', product_id, 'paymentSubscriptionId', payment_subscription_id) order by id), '[]')
    from (
      select product_id, payment_subscription_id, min(id) as id from subscriptions
      where tenant_id = ${ctx.tenant.id} and email = ${email} and status <> 'canceled'
      group by product_id, payment_subscription_id) as live)`;
