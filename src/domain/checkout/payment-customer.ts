import { sha256 } from '#src/lib/crypto.ts';
import type { Context } from '../context.ts';
import { findCustomerByEmail, forgetPaymentCustomer } from '../customers/index.ts';
import { transact } from '../database.ts';
import { asked } from '../payments/index.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';

/**
 * The provider's customer of a subscriber: the one that is known, or the one that the provider has for this address,
 * or a new one. Two first checkouts at once use one key, and so make one.
 *
 * Nobody becomes a customer of the store by this: that takes a paid order.
 */
export async function paymentCustomerOf(
  ctx: Context,
  account: PaymentAccount,
  email: string,
  goneCustomerId: string | null,
): Promise<string> {
  const known = await findCustomerByEmail(ctx, email);
  if (known?.paymentCustomerId) return known.paymentCustomerId;
  // A key that once made a customer answers that one for a day, even after it was deleted.
  const key = ['customer', ctx.tenant.id, sha256(email).toString('hex'), goneCustomerId].filter(Boolean).join(':');
  return asked(ctx.ports.payments.findOrCreateCustomer(account, email, key, ctx.signal));
}

/** The provider says that there is no such customer: deleted in its dashboard, or of another account. */
export async function forgetCustomer(ctx: Context, email: string): Promise<void> {
  const known = await findCustomerByEmail(ctx, email);
  if (known) await transact(ctx, (ctx) => forgetPaymentCustomer(ctx, { customerId: known.id }));
}
