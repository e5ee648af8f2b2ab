import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import type { SubscriptionSnapshot } from '#src/domain/ports/payment-snapshots.ts';
import type { SubscriptionStatus } from '#src/domain/subscriptions/subscription.ts';
import { randomText } from '#src/lib/crypto.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';

export interface GivenSubscription {
  productId?: string;
  email?: string;
  /** The order that began it. */
  orderId?: string;
  status?: SubscriptionStatus;
  /** That of another subscription makes this one another item of it. */
  paymentSubscriptionId?: string;
}

/** A subscription as its row has it. */
export interface SeenSubscription {
  id: string;
  paymentSubscriptionId: string;
  productId: string;
  status: SubscriptionStatus;
  interval: string;
  quantity: number;
  email: string | null;
  version: number;
}

/** A monthly subscription, written as a row. */
export async function buildSubscription(
  ctx: Context,
  given: GivenSubscription = {},
): Promise<{ id: string; paymentSubscriptionId: string }> {
  const id = newId('sub');
  const paymentSubscriptionId = given.paymentSubscriptionId ?? `sub_${randomText(14)}`;
  const now = ctx.clock.now();
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    insert into subscriptions (tenant_id, id, payment_subscription_id, payment_item_id, payment_customer_id, order_id,
      product_id, status, interval, quantity, unit_price_cents, currency, email, current_period_end,
      cancel_at_period_end, requested_at, created_at, updated_at)
    values (${ctx.tenant.id}, ${id}, ${paymentSubscriptionId}, ${`si_${randomText(14)}`}, 'cus_1', ${given.orderId ?? newId('ord')},
      ${given.productId ?? newId('prod')}, ${given.status ?? 'active'}, 'month', 1, 3400, 'USD',
      ${given.email ?? 'ada@example.com'}, ${new Date(now.getTime() + days(30))}, false, ${now}, ${now}, ${now})`),
  );
  return { id, paymentSubscriptionId };
}

/** All subscriptions of a store, oldest first. */
export const subscriptionsOf = (ctx: Context): Promise<SeenSubscription[]> =>
  read<SeenSubscription>(
    ctx,
    sql`
    select id, payment_subscription_id as "paymentSubscriptionId", product_id as "productId", status, interval,
      quantity, email, version
    from subscriptions where tenant_id = ${ctx.tenant.id} order by created_at, id`,
  );

/** The subscription as its provider shows it. */
export const snapshotOf = (subscriptionId: string, cancelAtPeriodEnd = false): SubscriptionSnapshot => ({
  subscriptionId,
  tenantId: null,
  orderId: null,
  environment: null,
  state: 'active',
  customerId: 'cus_1',
  email: 'ada@example.com',
  currency: 'USD',
  cancelAtPeriodEnd,
  canceledAt: null,
  items: [],
});
