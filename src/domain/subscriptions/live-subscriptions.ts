import { read } from '#src/database/transact.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';

export interface LiveSubscription {
  readonly productId: string;
  readonly paymentSubscriptionId: string;
}

/** The live subscriptions of this address to any of these products: all but `canceled` ones block another. */
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

/** All live subscriptions of this address (trimmed, lower case) as JSON, as a part of another statement. */
export const liveSubscriptionsOf = (ctx: Context, email: string | null): Sql => sql`
  (select coalesce(json_agg(json_build_object(
      'productId', product_id, 'paymentSubscriptionId', payment_subscription_id) order by id), '[]')
    from subscriptions where tenant_id = ${ctx.tenant.id} and email = ${email} and status <> 'canceled')`;
