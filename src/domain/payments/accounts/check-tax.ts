import { invalidRequest, ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../../context.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { openAccount, type PaymentAccountInput } from './payment-account.ts';
import { readPaymentAccount } from './read-account.ts';

/** What is wrong where the account of a store that lets the provider calculate tax is not set up for it. */
export const taxIsPending =
  'Stripe Tax is not set up in this account, so every checkout is rejected. Complete its settings at Stripe, or switch ' +
  'off automatic_tax.';

/**
 * Whether checkouts fail because the account is not set up to calculate tax. A provider that does not say, such as to a
 * restricted key that must not read the settings of tax, is no reason.
 */
export async function isTaxPending(ctx: Context, account: PaymentAccount): Promise<boolean> {
  try {
    return !(await ctx.ports.payments.isTaxActive(account, ctx.signal));
  } catch (error) {
    if (error instanceof ProviderError) return false;
    throw error;
  }
}

/**
 * Reject to switch on tax, or to replace the key with it, where the account is not set up for it.
 * @throws DomainError `invalid_request`
 */
export async function rejectPendingTax(ctx: Context, input: PaymentAccountInput): Promise<void> {
  if (!input.automatic_tax || input.mode !== 'direct' || input.secret_key === null) return;
  const stored = await readPaymentAccount(ctx);
  if (input.secret_key === undefined && (stored?.automaticTax || !stored?.hasSecretKey)) return;
  const account = input.secret_key ? { tenantId: ctx.tenant.id, secretKey: input.secret_key } : await openAccount(ctx);
  if (!(await isTaxPending(ctx, account))) return;
  throw invalidRequest(taxIsPending, {
    path: '/automatic_tax',
    code: 'tax_pending',
    detail: 'needs Stripe Tax, which is not set up in this account',
  });
}
