import { transact } from '#src/database/transact.ts';
import type { Context } from '../context.ts';
import { findCustomerByEmail, unlinkPaymentCustomer } from '../customers/index.ts';

/** Unlink a customer that was deleted at the provider, or belongs to an account that was replaced. */
export async function unlinkCustomer(ctx: Context, email: string, paymentCustomerId: string): Promise<void> {
  const known = await findCustomerByEmail(ctx, email);
  if (known) await transact(ctx, (ctx) => unlinkPaymentCustomer(ctx, { customerId: known.id, paymentCustomerId }));
}
