import type { InTransaction } from '../context.ts';
import { linkPaymentCustomer } from '../customers/index.ts';
import { recordChange, type Subscriber } from './apply-subscription.ts';
import { lockSubscriptions } from './subscription.ts';

/**
 * Give the subscriptions that an order began, also those that have ended, another owner, whose billing portal shows those
 * that have not. Call with the order locked.
 */
export async function changeSubscriber(ctx: InTransaction, { orderId, customerId, email }: Subscriber): Promise<void> {
  const rows = await lockSubscriptions(ctx, { orderId });
  for (const row of rows) {
    row.customerId = customerId;
    const { shippingAddress, email: before } = row;
    if (shippingAddress && shippingAddress.email === before) row.shippingAddress = { ...shippingAddress, email };
    row.email = email;
    if (row.status === 'canceled') row.updatedAt = ctx.clock.now();
    else recordChange(ctx, row);
  }
  await ctx.tx.em.flush();
  const running = rows.find(({ status }) => status !== 'canceled');
  if (running && customerId) {
    await linkPaymentCustomer(ctx, { customerId, paymentCustomerId: running.paymentCustomerId });
  }
}
