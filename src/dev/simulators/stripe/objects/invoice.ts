import type { Account } from '../account.ts';
import type { Metadata } from '../wire/check-metadata.ts';
import type { Customer } from './customer.ts';
import { type InvoiceLine, type InvoiceLineDraft, invoiceLines } from './invoice-line.ts';
import { type ListObject, listObject, type StripeObject } from './stripe-object.ts';
import type { Period, Subscription } from './subscription.ts';

export interface Invoice extends StripeObject {
  amount_due: number;
  amount_paid: number;
  amount_remaining: number;
  attempt_count: number;
  billing_reason: BillingReason;
  currency: string;
  customer: string;
  lines: ListObject<InvoiceLine>;
  next_payment_attempt: number | null;
  parent: {
    subscription_details: { subscription: string; metadata: Metadata } | null;
    [field: string]: unknown;
  };
  status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
  status_transitions: InvoiceTimes;
  total: number;
}

export type BillingReason = 'subscription_create' | 'subscription_cycle' | 'subscription_update';

interface InvoiceTimes {
  readonly finalized_at: number | null;
  readonly marked_uncollectible_at: number | null;
  readonly paid_at: number | null;
  readonly voided_at: number | null;
}

export interface InvoicePayment extends StripeObject {
  amount_paid: number | null;
  invoice: string;
  payment: { readonly type: 'payment_intent'; readonly payment_intent: string };
  status: 'open' | 'paid' | 'canceled';
}

export interface InvoiceDraft {
  readonly customer: Customer;
  readonly subscription: Subscription;
  readonly reason: BillingReason;
  readonly lines: readonly InvoiceLineDraft[];
  readonly reduction: { readonly discount: string; readonly amount: number } | null;
  readonly period: Period;
}

/** A draft invoice with its amounts reckoned. Its events are the caller's to tell. */
export function addInvoice(account: Account, draft: InvoiceDraft): Invoice {
  const id = account.mint('in');
  const { customer, subscription, reduction } = draft;
  const subtotal = draft.lines.reduce((sum, line) => sum + line.amount, 0);
  const total = subtotal - (reduction?.amount ?? 0);
  const lines = invoiceLines(account, id, draft);
  const discounts = reduction ? [{ amount: reduction.amount, discount: reduction.discount }] : [];
  account.invoiceLines.set(id, lines);
  return account.invoices.add({
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Simulated shop',
    account_tax_ids: null,
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: total,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: draft.reason,
    collection_method: 'charge_automatically',
    created: account.now,
    currency: subscription.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer['address'],
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    customer_shipping: customer['shipping'],
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: reduction ? [reduction.discount] : [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: listObject(`/v1/invoices/${id}/lines`, { data: lines.slice(0, 10), has_more: lines.length > 10 }),
    livemode: account.livemode,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: { ...subscription.metadata }, subscription: subscription.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: draft.period.end,
    period_start: draft.period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal,
    subtotal_excluding_tax: subtotal,
    test_clock: null,
    total,
    total_discount_amounts: discounts,
    total_excluding_tax: total,
    total_pretax_credit_amounts: discounts.map((discount) => ({ ...discount, type: 'discount' })),
    total_taxes: [],
    webhooks_delivered_at: null,
  });
}

/** How an invoice is being paid, or was; absent until somebody tries. */
export const paymentOf = new WeakMap<Invoice, InvoicePayment>();

/** The link between an invoice and the intent that pays it. */
export function addInvoicePayment(account: Account, invoice: Invoice, intent: string): InvoicePayment {
  const payment: InvoicePayment = account.invoicePayments.add({
    id: account.mint('inpay'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: account.now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: account.livemode,
    payment: { payment_intent: intent, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  });
  paymentOf.set(invoice, payment);
  return payment;
}
