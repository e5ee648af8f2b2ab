import { sha256 } from '#src/lib/crypto.ts';
import type { Context } from '../context.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { withPaymentErrors } from './provider-refusals.ts';
import { timeBucketOf } from './spell.ts';

/**
 * The provider's customer of an address for which we know none: the one that it has, or a new one.
 * Two first checkouts at once use one key, and so make one. Nobody becomes a customer of the store by this: that takes
 * a paid order.
 */
export async function findPaymentCustomer(
  ctx: Context,
  account: PaymentAccount,
  {
    email,
    enteredEmail = email,
    goneCustomerId = null,
  }: { email: string; enteredEmail?: string; goneCustomerId?: string | null },
): Promise<string> {
  // A key that once made a customer answers that one for a day, even after it was deleted.
  const name = sha256(email).toString('hex');
  const key = ['customer', ctx.tenant.id, name, goneCustomerId, timeBucketOf(ctx.clock)].filter(Boolean).join(':');
  return withPaymentErrors(ctx.ports.payments.findOrCreateCustomer(account, { email, enteredEmail }, key, ctx.signal));
}
