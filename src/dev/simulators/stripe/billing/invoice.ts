import { spread } from '../money.ts';
import type { Account, InvoiceLineDraft } from '../state/account.ts';
import {
  type BillingReason,
  type Customer,
  type Invoice,
  type InvoiceLine,
  type InvoicePayment,
  listObject,
  type Period,
  type Subscription,
} from '../state/objects.ts';

export interface InvoiceDraft {
  readonly customer: Customer;
  readonly subscription: Subscription;
  readonly reason: BillingReason;
  readonly lines: readonly InvoiceLineDraft[];
  readonly reduction: { readonly discount: string; readonly amount: number } | null;
  readonly period: Period;
}

/** A draft invoice with its amounts. The caller records its events. */
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
    account_name: 'Simulated store',
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
  account.paymentsOfInvoices.set(invoice, payment);
  return payment;
}

/** The lines of a new invoice; its reduction is shared among them to the last minor unit. */
function invoiceLines(account: Account, invoice: string, draft: InvoiceDraft): InvoiceLine[] {
  const { subscription, reduction } = draft;
  const shares = spread(
    reduction?.amount ?? 0,
    draft.lines.map((line) => line.amount),
  );
  return draft.lines.map((line, index) => {
    const discounts = reduction ? [{ amount: shares[index] ?? 0, discount: reduction.discount }] : [];
    return {
      id: account.mint('il'),
      object: 'line_item',
      amount: line.amount,
      currency: subscription.currency,
      description: line.description,
      discount_amounts: discounts,
      discountable: true,
      discounts: [],
      invoice,
      livemode: account.livemode,
      metadata: line.item ? { ...subscription.metadata } : {},
      parent: parentOf(account, line, subscription.id),
      period: line.period,
      pretax_credit_amounts: discounts.map((discount) => ({ ...discount, type: 'discount' })),
      pricing: {
        price_details: { price: line.price.id, product: line.price.product },
        type: 'price_details',
        unit_amount_decimal: line.price.unit_amount_decimal,
      },
      quantity: line.quantity,
      quantity_decimal: String(line.quantity),
      subscription: subscription.id,
      subtotal: line.amount,
      taxes: [],
    };
  });
}

function parentOf(account: Account, { item, isProration = false }: InvoiceLineDraft, subscription: string): object {
  const shared = { proration: isProration, proration_details: null, subscription };
  return item
    ? {
        invoice_item_details: null,
        subscription_item_details: { ...shared, invoice_item: null, subscription_item: item.id },
        type: 'subscription_item_details',
      }
    : {
        invoice_item_details: { ...shared, invoice_item: account.mint('ii') },
        subscription_item_details: null,
        type: 'invoice_item_details',
      };
}
