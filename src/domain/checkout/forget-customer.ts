import type { Context } from '../context.ts';
import { findCustomerByEmail, forgetPaymentCustomer } from '../customers/index.ts';
import { transact } from '../database.ts';

/** Unlink a customer that was deleted at the provider, or belongs to an account that was replaced. */
export async function forgetCustomer(ctx: Context, email: string, paymentCustomerId: string): Promise<void> {
  const known = await findCustomerByEmail(ctx, email);
  if (known) await transact(ctx, (ctx) => forgetPaymentCustomer(ctx, { customerId: known.id, paymentCustomerId }));
}
