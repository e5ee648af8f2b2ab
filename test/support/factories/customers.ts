import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { type Customer, findCustomer, upsertCustomer } from '#src/domain/customers/index.ts';
import { randomText } from '#src/lib/crypto.ts';

/** A customer of the store. */
export async function buildCustomer(ctx: Context, given: { email?: string; name?: string } = {}): Promise<Customer> {
  const { id } = await transact(ctx, (ctx) => upsertCustomer(ctx, { email: `${randomText(8)}@example.com`, ...given }));
  const customer = await findCustomer(ctx, id);
  if (!customer) throw new Error('The customer was not built.');
  return customer;
}
