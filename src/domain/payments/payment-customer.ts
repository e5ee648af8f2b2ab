import { transact } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { Email, type Static, Type, Url } from '#src/lib/schema.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { type Customer, findCustomerByEmail, linkPaymentCustomer, unlinkPaymentCustomer } from '../customers/index.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { checkReturnUrl } from '../return-url.ts';
import { openAccount, whileCallerWaits } from './accounts/payment-account.ts';
import { timeBucketOf, withPaymentErrors } from './provider-calls.ts';

/**
 * Find or create the provider's customer of an email for which we have none. Two first checkouts at once use the same
 * key, so they create one customer. It creates no customer of the store: that takes a paid order.
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
  // A key that created a customer returns that one for a day, even after it was deleted.
  const name = sha256(email).toString('hex');
  const key = ['customer', ctx.tenant.id, name, goneCustomerId, timeBucketOf(ctx.clock)].filter(Boolean).join(':');
  const customer = { email, enteredEmail, currency: ctx.tenant.currency };
  return withPaymentErrors(ctx.ports.payments.findOrCreateCustomer(account, customer, key, ctx.signal));
}

/** The body of POST /billing-portal. */
export const BillingPortalInput = Type.Object({ customer_email: Email, return_url: Url });
export type BillingPortalInput = Static<typeof BillingPortalInput>;

/**
 * Open the provider's page where customers manage their subscriptions. By specification anyone who knows an email may
 * open it, so the return URL must be the store's, and each opening is recorded in the audit log.
 *
 * @throws DomainError not_found `customer_not_found`, invalid for a foreign URL, or the error of a failed call
 */
export async function openBillingPortal(ctx: Context, input: BillingPortalInput): Promise<{ url: string }> {
  const customer = await findCustomerByEmail(ctx, input.customer_email);
  if (!customer) throw new DomainError('not_found', 'customer_not_found', 'There is no customer with this email.');
  const returnUrl = checkReturnUrl(ctx, 'return_url', input.return_url);
  const account = whileCallerWaits(await openAccount(ctx));
  const subject = { subjectKind: 'customer', subjectId: customer.id };
  await transact(ctx, (ctx) => recordAudit(ctx, { action: 'billing_portal.opened', ...subject }));
  return { url: await withPaymentErrors(openFor(ctx, account, customer, returnUrl)) };
}

/**
 * The stored id may be stale, because the customer was deleted at the provider or belongs to an account that was
 * replaced: then it is unlinked, and the customer is looked up by email.
 */
async function openFor(ctx: Context, account: PaymentAccount, customer: Customer, returnUrl: string): Promise<string> {
  const open = (id: string) => ctx.ports.payments.openBillingPortal(account, id, returnUrl, ctx.signal);
  const { id: customerId, paymentCustomerId } = customer;
  if (!paymentCustomerId) return open(await linkNewCustomer(ctx, account, customer));
  try {
    return await open(paymentCustomerId);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.failure !== 'missing') throw error;
    await transact(ctx, (ctx) => unlinkPaymentCustomer(ctx, { customerId, paymentCustomerId }));
    return open(await linkNewCustomer(ctx, account, customer, paymentCustomerId));
  }
}

async function linkNewCustomer(
  ctx: Context,
  account: PaymentAccount,
  { id, email }: Customer,
  goneCustomerId: string | null = null,
): Promise<string> {
  const paymentCustomerId = await findPaymentCustomer(ctx, account, { email, goneCustomerId });
  const linked = await transact(ctx, (ctx) => linkPaymentCustomer(ctx, { customerId: id, paymentCustomerId }));
  return linked.paymentCustomerId;
}
