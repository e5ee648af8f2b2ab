import { read, readOne } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { joinSql, type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { presentSubscription, type SubscriptionRecord, type SubscriptionView } from './present.ts';
import type { SubscriptionStatus } from './subscription.ts';

/** A subscription as it is now, with one statement; `undefined` when this store has none of that id. */
export async function readSubscription(ctx: Context, id: string): Promise<SubscriptionView | undefined> {
  const row = await readOne<SubscriptionRecord>(ctx, sql`${select(ctx)} and s.id = ${id}`);
  return row && presentSubscription(row);
}

/** Subscriptions that fit `condition` (on `subscriptions s`; the tenant is added), newest first. */
export async function readSubscriptions(ctx: Context, condition: Sql, limit: number): Promise<SubscriptionView[]> {
  const rows = await read<SubscriptionRecord>(
    ctx,
    sql`
    ${select(ctx)} and ${condition} order by s.created_at desc, s.id desc limit ${limit}`,
  );
  return rows.map(presentSubscription);
}

/**
 * Subscriptions that fit `condition` (on `subscriptions s`; the tenant is added), the newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listSubscriptions(
  ctx: Context,
  condition: Sql,
  { cursor, limit = 20 }: PageRequest,
): Promise<Page<SubscriptionView>> {
  const list = keyset(ctx, 'subscriptions', { columns: ['s.id'], descending: true }, cursor);
  const found = await read<SubscriptionRecord & { position: Position }>(
    ctx,
    sql`
    ${select(ctx, sql`, ${list.position} as position`)} and ${condition} and ${list.after}
    order by ${list.by} limit ${limit + 1}`,
  );
  const page = list.page(found, limit);
  return { rows: page.rows.map(presentSubscription), cursor: page.cursor };
}

export interface SubscriptionFilter extends PageRequest {
  readonly status?: SubscriptionStatus | undefined;
  readonly email?: string | undefined;
}

/** The subscriptions of a store that fit, the newest first, page by page. Throws `invalid_cursor`. */
export async function listAllSubscriptions(ctx: Context, filter: SubscriptionFilter): Promise<Page<SubscriptionView>> {
  const { status, email, ...page } = filter;
  const conditions = [
    status === undefined ? sql`true` : sql`s.status = ${status}`,
    email === undefined ? sql`true` : sql`s.email = ${normaliseEmail(email)}`,
  ];
  return listSubscriptions(ctx, joinSql(conditions, ' and '), page);
}

const select = (ctx: Context, more: Sql = sql``): Sql => sql`
  select s.id, s.payment_subscription_id as "paymentSubscriptionId", s.status, s.product_id as "productId",
    s.variant_id as "variantId", s.interval, s.quantity, s.unit_price_cents as "unitPriceCents", s.currency,
    s.current_period_end as "currentPeriodEnd", s.cancel_at_period_end as "cancelAtPeriodEnd",
    s.canceled_at as "canceledAt", s.customer_id as "customerId", s.email, s.version, s.created_at as "createdAt"${more}
  from subscriptions s where s.tenant_id = ${ctx.tenant.id}`;
