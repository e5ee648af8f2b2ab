import { changedMetadata } from '../api/check-metadata.ts';
import { redeem } from '../catalogue/coupon.ts';
import type { Outcome } from '../payments/payment-intent.ts';
import type { Account, Cart, InvoiceLineDraft } from '../state/account.ts';
import type { Customer, Invoice, LineItem, PaymentIntent, Session, Subscription } from '../state/objects.ts';
import { applyBalance, collectInvoice, finalizeInvoice } from './collect-invoice.ts';
import { addInvoice } from './invoice.ts';
import { addSubscription } from './subscription.ts';

export interface StartOptions {
  readonly session: Session;
  readonly cart: Cart;
  readonly customer: Customer;
  readonly outcome: Outcome;
  /** An intent that a declined card left behind. */
  readonly intent: PaymentIntent | undefined;
  readonly billing: object;
}

/** Create the subscription of a paid session, and its first invoice. */
export function startSubscription(
  account: Account,
  { session, cart, customer, outcome, intent, billing }: StartOptions,
): { subscription: Subscription; invoice: Invoice } {
  const recurring = cart.lines.filter(({ price }) => price.recurring);
  const subscription = addSubscription(account, {
    customer: customer.id,
    currency: session.currency,
    description: cart.params.subscription_data?.description ?? null,
    metadata: changedMetadata({}, cart.params.subscription_data?.metadata),
    lines: recurring,
    trialEnd: trialEnd(account, cart),
  });
  customer.currency = session.currency;
  const invoice = addInvoice(account, {
    customer,
    subscription,
    reason: 'subscription_create',
    lines: firstLines(account, cart.lines, subscription),
    reduction: firstReduction(account, cart, session, subscription),
    period: { start: account.now, end: account.now },
  });
  subscription.latest_invoice = invoice.id;
  account.record('customer.subscription.created', subscription);
  account.record('invoice.created', invoice);
  applyBalance(account, invoice);
  finalizeInvoice(account, invoice);
  collectInvoice(account, invoice, outcome, { intent, billing });
  return { subscription, invoice };
}

function firstLines(account: Account, lines: readonly LineItem[], subscription: Subscription): InvoiceLineDraft[] {
  const items = [...subscription.items.data];
  return lines.map((line) => {
    const item = line.price.recurring ? (items.shift() ?? null) : null;
    return {
      item,
      price: line.price,
      quantity: line.quantity,
      amount: line.amount_subtotal,
      description: `${line.quantity} × ${line.description}`,
      period: item
        ? { start: item.current_period_start, end: item.current_period_end }
        : { start: account.now, end: account.now },
    };
  });
}

function firstReduction(
  account: Account,
  { coupon }: Cart,
  session: Session,
  subscription: Subscription,
): { discount: string; amount: number } | null {
  if (!coupon) return null;
  const lasting = coupon.duration !== 'once';
  const discount = redeem(account, coupon, {
    customer: subscription.customer,
    session: session.id,
    invoice: null,
    subscription: lasting ? subscription.id : null,
  });
  if (lasting) subscription.discounts = [discount.id];
  return { discount: discount.id, amount: session.total_details.amount_discount };
}

function trialEnd(account: Account, { params }: Cart): number | null {
  const { trial_end: end, trial_period_days: days } = params.subscription_data ?? {};
  if (end !== undefined) return end;
  return days === undefined ? null : account.now + days * 86_400;
}
