import type Stripe from 'stripe';

import type {
  InvoiceSnapshot,
  PaymentSnapshot,
  SessionSnapshot,
  ShopperAddress,
  SubscriptionSnapshot,
  SubscriptionState,
} from '#src/domain/ports/payment-snapshots.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { metadataIn } from './metadata.ts';

/** What the SDK types as an id or the expanded object. */
type Reference = string | { readonly id: string } | null | undefined;

export const idOf = (reference: Reference): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

export const momentOf = (epochSeconds: number): Date => new Date(epochSeconds * 1000);

/** What a shopper typed, without the characters that PostgreSQL cannot store; null where nobody would see anything. */
function typedIn(text: string | null | undefined): string | null {
  const line = oneLine(text ?? '');
  return /[^\s\p{Default_Ignorable_Code_Point}]/u.test(line) ? line : null;
}

/** @param intent the session's payment, where it was fetched: only it shows that a slow payment failed */
export function sessionSnapshotOf(
  session: Stripe.Checkout.Session,
  intent?: Stripe.PaymentIntent | null,
): SessionSnapshot {
  const { total_details: totals, customer_details: customer } = session;
  const shipping = session.collected_information?.shipping_details;
  return {
    sessionId: session.id,
    state: sessionStateOf(session, intent),
    ...metadataIn(session.metadata),
    url: session.url,
    currency: (session.currency ?? '').toUpperCase(),
    subtotalCents: session.amount_subtotal ?? 0,
    discountCents: totals?.amount_discount ?? 0,
    shippingCents: totals?.amount_shipping ?? 0,
    taxCents: totals?.amount_tax ?? 0,
    totalCents: session.amount_total ?? 0,
    creditCents: creditIn(session),
    email: customer?.email ?? session.customer_email,
    name: typedIn(customer?.name),
    phone: typedIn(customer?.phone),
    address: shipping ? addressOf(shipping.name, shipping.address) : null,
    customerId: idOf(session.customer),
    paymentId: idOf(session.payment_intent) ?? intent?.id ?? paymentOf(session.invoice),
    subscriptionId: idOf(session.subscription),
  };
}

/** The balance of a customer is a part of the first invoice, where that is expanded, and not of the session's total. */
const creditIn = ({ amount_total: total, invoice }: Stripe.Checkout.Session): number =>
  total === null || invoice === null || typeof invoice === 'string' ? 0 : total - invoice.amount_due;

/**
 * The payment of an invoice, where both are expanded: the one that paid it, else the one that is open. What was paid
 * outside of Stripe has none.
 */
function paymentOf(invoice: string | Stripe.Invoice | null): string | null {
  if (invoice === null || typeof invoice === 'string') return null;
  const payments = invoice.payments?.data ?? [];
  const idsOf = (wanted: 'paid' | 'open') =>
    payments.flatMap(({ status, payment }) => (status === wanted && idOf(payment.payment_intent)) || []);
  return [...idsOf('paid'), ...idsOf('open')][0] ?? null;
}

/** A future status of Stripe counts as money on its way: nothing is paid, and nothing is released. */
function sessionStateOf(
  session: Stripe.Checkout.Session,
  intent?: Stripe.PaymentIntent | null,
): SessionSnapshot['state'] {
  if (session.status === 'expired') return 'expired';
  if (session.status !== 'complete') return 'open';
  if (session.payment_status === 'paid' || session.payment_status === 'no_payment_required') return 'settled';
  return intent?.status === 'requires_payment_method' || intent?.status === 'canceled' ? 'failed' : 'processing';
}

function addressOf(name: string | null | undefined, address: Stripe.Address | null | undefined): ShopperAddress {
  return {
    name: typedIn(name),
    street1: typedIn(address?.line1),
    street2: typedIn(address?.line2),
    city: typedIn(address?.city),
    state: typedIn(address?.state),
    zip: typedIn(address?.postal_code),
    country: address?.country ?? null,
  };
}

const subscriptionStates: Partial<Record<string, SubscriptionState>> = {
  active: 'active',
  trialing: 'trialing',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'paused',
  canceled: 'canceled',
  incomplete_expired: 'canceled',
  incomplete: 'starting',
};

/**
 * @param subscription with its customer expanded
 * @param items all of its items, with their products expanded, because the products have our metadata
 */
export function subscriptionSnapshotOf(
  subscription: Stripe.Subscription,
  items: readonly Stripe.SubscriptionItem[],
): SubscriptionSnapshot {
  const { customer } = subscription;
  return {
    subscriptionId: subscription.id,
    state: subscriptionStates[subscription.status] ?? 'past_due',
    ...metadataIn(subscription.metadata),
    customerId: idOf(customer) ?? '',
    email: typeof customer === 'object' && !customer.deleted ? customer.email : null,
    currency: subscription.currency.toUpperCase(),
    cancelAtPeriodEnd: subscription.cancel_at_period_end || endsBefore(subscription.cancel_at, items),
    canceledAt: subscription.canceled_at === null ? null : momentOf(subscription.canceled_at),
    items: items.map((item) => ({
      itemId: item.id,
      ...productMetadataIn(item.price.product),
      quantity: item.quantity ?? 1,
      // A price of a part of a cent is only in the decimal.
      unitPriceCents: item.price.unit_amount ?? Math.round(Number(String(item.price.unit_amount_decimal ?? 0))),
      interval: item.price.recurring?.interval_count === 3 ? 'quarter' : 'month',
      currentPeriodEnd: momentOf(item.current_period_end),
    })),
  };
}

/** Whether no item is charged again before then. The billing portal sets `cancel_at` only, the dashboard any date. */
const endsBefore = (at: number | null, items: readonly Stripe.SubscriptionItem[]): boolean =>
  at !== null && items.every(({ current_period_end: end }) => at <= end);

function productMetadataIn(product: string | Stripe.Product | Stripe.DeletedProduct) {
  const metadata = typeof product === 'string' || product.deleted ? {} : product.metadata;
  return { productId: metadata['platform_product_id'] ?? null, variantId: metadata['platform_variant_id'] ?? null };
}

/** @param invoice with its payments expanded */
export function invoiceSnapshotOf(invoice: Stripe.Invoice, lines: readonly Stripe.InvoiceLineItem[]): InvoiceSnapshot {
  const details = invoice.parent?.subscription_details;
  const sum = (amounts: readonly { readonly amount: number }[] | null | undefined) =>
    (amounts ?? []).reduce((total, { amount }) => total + amount, 0);
  const periods = lines.filter(isPeriod);
  // A change that begins a trial is invoiced at nothing: no period was bought.
  const isTrial = invoice.billing_reason === 'subscription_update' && periods.every(({ amount }) => amount === 0);
  return {
    invoiceId: invoice.id ?? '',
    subscriptionId: idOf(details?.subscription),
    ...metadataIn(details?.metadata ?? null),
    cause: causes[invoice.billing_reason ?? ''] ?? 'other',
    isPaid: invoice.status === 'paid',
    currency: invoice.currency.toUpperCase(),
    taxCents: sum(invoice.total_taxes),
    // What was charged: a customer's credit pays a part of the total, or all of it.
    totalCents: invoice.amount_due,
    paymentId: paymentOf(invoice),
    lines: (isTrial ? [] : periods).map((line) => ({
      itemId: line.parent?.subscription_item_details?.subscription_item ?? null,
      quantity: line.quantity ?? 1,
      amountCents: line.amount,
      discountCents: sum(line.discount_amounts),
    })),
  };
}

/**
 * Whether a line is a whole period of an item. A proration only pays the difference after a change, and an invoice item
 * is what the owner added to the customer's next invoice.
 */
export const isPeriod = ({ parent, quantity }: Stripe.InvoiceLineItem): boolean =>
  parent?.subscription_item_details?.proration === false && quantity !== 0;

/** A change made in the billing portal or the dashboard may begin a new period at once: an `update`. */
const causes: Partial<Record<string, InvoiceSnapshot['cause']>> = {
  subscription_create: 'first',
  subscription_cycle: 'renewal',
  subscription_update: 'renewal',
};

export function paymentSnapshotOf(
  charge: Stripe.Charge,
  invoice: { readonly invoiceId: string; readonly metadata: Stripe.Metadata | null } | null,
  reversals: Pick<PaymentSnapshot, 'ownRefunds' | 'failedRefunds' | 'refunds' | 'isDisputed' | 'lostCents'>,
): PaymentSnapshot {
  const own = metadataIn(charge.metadata);
  return {
    paymentId: idOf(charge.payment_intent) ?? charge.id,
    ...(own.orderId || !invoice ? own : metadataIn(invoice.metadata)),
    invoiceId: invoice?.invoiceId ?? null,
    currency: charge.currency.toUpperCase(),
    amountCents: charge.amount,
    refundedCents: charge.amount_refunded,
    ...reversals,
  };
}
