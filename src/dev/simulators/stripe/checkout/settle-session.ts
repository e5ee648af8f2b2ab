import type { Account } from '../account.ts';
import { intentOf, markInvoiceFailed, markInvoicePaid } from '../billing/collect-invoice.ts';
import { settlePayment } from '../billing/move-money.ts';
import type { Session } from '../objects/session.ts';
import { invalid } from '../wire/refusal.ts';

/** The bank's word on a slow debit, days after the session was completed. */
export function settleSession(account: Account, session: Session, succeeded: boolean): void {
  const invoice = account.invoices.get(session.invoice ?? '');
  const intent = invoice ? intentOf(account, invoice) : account.paymentIntents.get(session.payment_intent ?? '');
  if (session.status !== 'complete' || intent?.status !== 'processing') {
    throw invalid('Only a completed session with a payment in processing can be settled.');
  }
  settlePayment(account, intent, succeeded);
  if (succeeded) {
    if (invoice) markInvoicePaid(account, invoice);
    account.change(session, { payment_status: 'paid' }, 'checkout.session.async_payment_succeeded');
    return;
  }
  if (invoice) markInvoiceFailed(account, invoice);
  const subscription = account.subscriptions.get(session.subscription ?? '');
  if (subscription) account.change(subscription, { status: 'past_due' }, 'customer.subscription.updated');
  account.record('checkout.session.async_payment_failed', session);
}
