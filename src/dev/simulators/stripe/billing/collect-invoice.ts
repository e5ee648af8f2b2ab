import { attemptPayment, createPaymentIntent, type Outcome } from '../payments/payment-intent.ts';
import type { Account } from '../state/account.ts';
import type { Invoice, PaymentIntent } from '../state/objects.ts';
import { addInvoicePayment } from './invoice.ts';

const nextAttemptSeconds = 3 * 86_400;

/** Credit reduces what is due, debt adds to it; what is left of either waits for the next invoice. */
export function applyBalance(account: Account, invoice: Invoice): void {
  const customer = account.customers.need(invoice.customer);
  const start = customer.balance;
  const due = Math.max(0, invoice.total + start);
  customer.balance = invoice.total + start - due;
  const balances = { starting_balance: start, ending_balance: customer.balance };
  Object.assign(invoice, { amount_due: due, amount_remaining: due, ...balances });
}

/** Give a draft its number and make it due. */
export function finalizeInvoice(account: Account, invoice: Invoice): Invoice {
  const times = { ...invoice.status_transitions, finalized_at: account.now };
  const number = `${account.mint('', 8).toUpperCase()}-0001`;
  const patch = { status: 'open', number, effective_at: account.now, status_transitions: times } as const;
  return account.change(invoice, patch, 'invoice.finalized');
}

/**
 * Collect the amount of an open invoice. `intent` is one that the shopper has begun to pay with;
 * without it a new one is created. An invoice of nothing is paid at once and has no payment.
 */
export function collectInvoice(
  account: Account,
  invoice: Invoice,
  outcome: Outcome,
  { intent, billing = {} }: { intent?: PaymentIntent | undefined; billing?: object } = {},
): PaymentIntent | null {
  if (invoice.amount_due === 0) {
    markInvoicePaid(account, invoice);
    return null;
  }
  const paying = intent ?? invoiceIntent(account, invoice);
  Object.assign(paying, { customer: invoice.customer, amount: invoice.amount_due });
  if (!account.paymentsOfInvoices.has(invoice)) addInvoicePayment(account, invoice, paying.id);
  attemptPayment(account, paying, outcome, billing);
  Object.assign(invoice, { attempted: true, attempt_count: invoice.attempt_count + 1 });
  if (outcome === 'paid') markInvoicePaid(account, invoice);
  if (outcome === 'declined') markInvoiceFailed(account, invoice);
  return paying;
}

export function markInvoicePaid(account: Account, invoice: Invoice): void {
  const payment = account.paymentsOfInvoices.get(invoice);
  if (payment) {
    const times = { canceled_at: null, paid_at: account.now };
    const paid = { amount_paid: invoice.amount_due, status: 'paid', status_transitions: times } as const;
    account.change(payment, paid, 'invoice_payment.paid');
  }
  Object.assign(invoice, {
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: account.now },
  });
  account.record('invoice.paid', invoice);
  account.record('invoice.payment_succeeded', invoice);
}

export function markInvoiceFailed(account: Account, invoice: Invoice): void {
  const patch = { next_payment_attempt: account.now + nextAttemptSeconds };
  account.change(invoice, patch, 'invoice.payment_failed');
}

/** The intent with which an invoice is being paid, after the first attempt. */
export function intentOf(account: Account, invoice: Invoice): PaymentIntent | undefined {
  return account.paymentIntents.get(account.paymentsOfInvoices.get(invoice)?.payment.payment_intent ?? '');
}

function invoiceIntent(account: Account, invoice: Invoice): PaymentIntent {
  return createPaymentIntent(account, {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: invoice.customer,
    metadata: {},
    description: 'Subscription update',
    shipping: null,
  });
}
