import { DomainError } from '#src/lib/errors.ts';
import { Email, type Static, Type, Url } from '#src/lib/schema.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { type Customer, findCustomerByEmail, rememberPaymentCustomer } from '../customers/index.ts';
import { transact } from '../database.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { checkReturnUrl } from '../return-url.ts';
import { findPaymentCustomer } from './find-payment-customer.ts';
import { openAccount } from './open-account.ts';
import { forSomebodyWaiting } from './patience.ts';
import { asked } from './provider-refusals.ts';

/** The body of POST /billing-portal. */
export const BillingPortalInput = Type.Object({ customer_email: Email, return_url: Url });
export type BillingPortalInput = Static<typeof BillingPortalInput>;

/**
 * Open the provider's page where customers manage what they pay for. Anybody who knows an address may ask for it, as
 * specified: so it leads back only where any shopper of the store is sent, and each opening is written into the audit log.
 *
 * @throws DomainError not_found `customer_not_found`, invalid for a foreign URL, or what became of the provider
 */
export async function openBillingPortal(ctx: Context, input: BillingPortalInput): Promise<{ url: string }> {
  const customer = await findCustomerByEmail(ctx, input.customer_email);
  if (!customer) throw new DomainError('not_found', 'customer_not_found', 'There is no customer with this address.');
  checkReturnUrl(ctx, 'return_url', input.return_url);
  const account = forSomebodyWaiting(await openAccount(ctx));
  const paymentCustomerId = customer.paymentCustomerId ?? (await introduce(ctx, account, customer));
  const subject = { subjectKind: 'customer', subjectId: customer.id };
  await transact(ctx, (ctx) => recordAudit(ctx, { action: 'billing_portal.opened', ...subject }));
  const opening = ctx.ports.payments.openBillingPortal(account, paymentCustomerId, input.return_url, ctx.signal);
  return { url: await asked(opening) };
}

async function introduce(ctx: Context, account: PaymentAccount, { id, email }: Customer): Promise<string> {
  const paymentCustomerId = await findPaymentCustomer(ctx, account, { email });
  const kept = await transact(ctx, (ctx) => rememberPaymentCustomer(ctx, { customerId: id, paymentCustomerId }));
  return kept.paymentCustomerId;
}
