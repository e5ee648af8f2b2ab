import { transact } from '#src/database/transact.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { found } from '#src/lib/errors.ts';
import { recordAudit } from '../audit/index.ts';
import { markBought } from '../cart/index.ts';
import type { Context } from '../context.ts';
import { findCustomerByEmail, upsertCustomer } from '../customers/index.ts';
import { changeRecipient } from '../mail/index.ts';
import { lockOrder, saveOrder } from '../orders/index.ts';
import { isRenewal } from '../payments/index.ts';
import { stopReminders } from '../reminders/index.ts';
import { changeReturnEmail } from '../returns/index.ts';
import { changeSubscriber, subscriberOf } from '../subscriptions/index.ts';

/**
 * Correct the email of an order. The order, its returns, and the subscriptions that it began are those of the customer
 * with the new one, who gets their emails from now on, also those that wait to be sent, and no reminders of a cart that
 * the order bought. Whoever has the old one sees them no longer, but for what the payment provider shows in its billing
 * portal. Nothing is sent by this.
 *
 * @throws DomainError `not_found`
 */
export async function correctEmail(
  ctx: Context,
  { orderId, email: given }: { orderId: string; email: string },
): Promise<void> {
  const email = normaliseEmail(given);
  await transact(ctx, async (ctx) => {
    const order = found(await lockOrder(ctx, orderId), 'order');
    const before = order.email;
    if (before === email) return;
    const payer = before ? await findCustomerByEmail(ctx, before) : undefined;
    order.email = email;
    const known = await findCustomerByEmail(ctx, email);
    // Who has only begun to pay is no customer yet.
    const customer = order.isPaid ? await upsertCustomer(ctx, { email, name: known?.name ?? payer?.name }) : known;
    order.customerId = customer?.id ?? null;
    const { shippingAddress } = order;
    if (shippingAddress && shippingAddress.email === before) order.shippingAddress = { ...shippingAddress, email };
    await saveOrder(ctx, order);
    const { paidAt } = order;
    if (paidAt && !(await isRenewal(ctx, orderId))) {
      const { savedCarts } = await markBought(ctx, { email, cartId: null, sessionId: null, paidAt });
      await stopReminders(ctx, { orderId, paidAt }, savedCarts);
    }
    await changeReturnEmail(ctx, { orderId, email });
    await changeRecipient(ctx, { orderId, to: email });
    await changeSubscriber(ctx, subscriberOf(order));
    // Without the emails, which are personal data.
    await recordAudit(ctx, { action: 'order.email_changed', subjectKind: 'order', subjectId: orderId });
  });
}
