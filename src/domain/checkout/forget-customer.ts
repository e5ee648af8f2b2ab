import type { Context } from '../context.ts';
import { findCustomerByEmail, forgetPaymentCustomer } from '../customers/index.ts';
import { transact } from '../database.ts';

/** The provider says that there is no such customer: deleted in its dashboard, or of another account. */
export async function forgetCustomer(ctx: Context, email: string): Promise<void> {
  const known = await findCustomerByEmail(ctx, email);
  if (known) await transact(ctx, (ctx) => forgetPaymentCustomer(ctx, { customerId: known.id }));
}
