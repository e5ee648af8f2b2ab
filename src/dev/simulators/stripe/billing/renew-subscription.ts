import { invalid } from '../api/error.ts';
import { reductionOf } from '../catalogue/coupon.ts';
import { amountOf } from '../catalogue/price.ts';
import type { Account, InvoiceLineDraft } from '../state/account.ts';
import type { BillingReason, Invoice, Period, Subscription, SubscriptionItem } from '../state/objects.ts';
import { applyBalance, collectInvoice, finalizeInvoice } from './collect-invoice.ts';
import { addInvoice } from './invoice.ts';
import { endSubscription, isInTrial, laterBy } from './subscription.ts';

/**
 * Let a subscription's period end: the next one begins and is invoiced, or, where it was to be
 * cancelled at the end of its period, it ends. Returns the new invoice, if there is one.
 */
export function renewSubscription(
  account: Account,
  subscription: Subscription,
  outcome: 'paid' | 'failed',
): Invoice | null {
  if (subscription.status === 'canceled' || subscription.status === 'paused') {
    throw invalid(`A subscription that is ${subscription.status} does not renew.`);
  }
  if (endsWithPeriod(subscription)) {
    endSubscription(account, subscription);
    return null;
  }
  for (const item of subscription.items.data) {
    Object.assign(item, periodOf(item, item.current_period_end, subscription.billing_cycle_anchor));
  }
  account.change(subscription, { status: 'active' }, 'customer.subscription.updated');
  return invoicePeriod(account, subscription, 'subscription_cycle', outcome);
}

function endsWithPeriod({ cancel_at: at, cancel_at_period_end: ends, items }: Subscription): boolean {
  return ends || (at !== null && items.data.every(({ current_period_end: end }) => at <= end));
}

/** Begin a new period now. */
export function restartPeriod(account: Account, subscription: Subscription): void {
  subscription.billing_cycle_anchor = account.now;
  for (const item of subscription.items.data) Object.assign(item, periodOf(item, account.now, account.now));
}

/** Advance to the period around the present time; those passed over are not invoiced, and the anchor stays. */
export function advancePeriod(account: Account, subscription: Subscription): void {
  for (const item of subscription.items.data) {
    while (item.current_period_end <= account.now)
      Object.assign(item, periodOf(item, item.current_period_end, subscription.billing_cycle_anchor));
  }
}

/** Begin a trial now: its end is the new anchor of the billing cycle. It is invoiced at nothing. */
export function beginTrial(account: Account, subscription: Subscription, end: number): void {
  for (const item of subscription.items.data) {
    Object.assign(item, { current_period_start: account.now, current_period_end: end });
  }
  const trial = { status: 'trialing', trial_start: account.now, trial_end: end, billing_cycle_anchor: end } as const;
  account.change(subscription, trial, 'customer.subscription.updated');
  invoicePeriod(account, subscription, 'subscription_update', 'paid');
}

/** Credit, or charge, the rest of the present period with the next invoice. Nothing of a trial was paid. */
export function prorate(account: Account, subscription: Subscription, sign: 1 | -1): void {
  if (isInTrial(subscription)) return;
  const pending = account.pendingProrations.get(subscription.id) ?? [];
  for (const item of subscription.items.data) {
    const { current_period_start: start, current_period_end: end } = item;
    const share = Math.max(0, end - Math.max(start, account.now)) / (end - start);
    const amount = sign * Math.round(amountOf(item.price, item.quantity) * share);
    const period = { start: account.now, end };
    pending.push({ ...lineOf(account, item), item: { ...item }, amount, period, isProration: true });
  }
  account.pendingProrations.set(subscription.id, pending);
}

/** Invoice the present period of a subscription. */
export function invoicePeriod(
  account: Account,
  subscription: Subscription,
  reason: BillingReason,
  outcome: 'paid' | 'failed',
): Invoice {
  const invoice = addInvoice(account, {
    customer: account.customers.need(subscription.customer),
    subscription,
    reason,
    lines: [
      ...subscription.items.data.map((item) => lineOf(account, item, isInTrial(subscription) ? 0 : undefined)),
      ...(account.pendingProrations.get(subscription.id) ?? []),
    ],
    reduction: isInTrial(subscription) ? null : lastingReduction(account, subscription),
    period: periodNow(subscription),
  });
  account.pendingProrations.delete(subscription.id);
  subscription.latest_invoice = invoice.id;
  account.record('invoice.created', invoice);
  applyBalance(account, invoice);
  finalizeInvoice(account, invoice);
  collectInvoice(account, invoice, outcome === 'paid' ? 'paid' : 'declined');
  if (invoice.status !== 'paid') account.change(subscription, { status: 'past_due' }, 'customer.subscription.updated');
  return invoice;
}

function lineOf(
  account: Account,
  item: SubscriptionItem,
  amount = amountOf(item.price, item.quantity),
): InvoiceLineDraft {
  const product = account.products.get(item.price.product);
  return {
    item,
    price: item.price,
    quantity: item.quantity,
    amount,
    description: `${item.quantity} × ${product?.name ?? item.price.id}`,
    period: { start: item.current_period_start, end: item.current_period_end },
  };
}

function lastingReduction(account: Account, subscription: Subscription): { discount: string; amount: number } | null {
  const discount = account.discounts.get(subscription.discounts[0] ?? '');
  const coupon = discount && account.coupons.get(discount.source.coupon);
  if (!coupon) return null;
  const { start } = periodNow(subscription);
  if (discount.end !== null && discount.end <= start) return null;
  const subtotal = subscription.items.data.reduce((sum, { price, quantity }) => sum + amountOf(price, quantity), 0);
  return { discount: discount.id, amount: reductionOf(coupon, subtotal) };
}

function periodOf({ price }: SubscriptionItem, start: number, anchor: number): object {
  return {
    current_period_start: start,
    current_period_end: price.recurring ? laterBy(price.recurring, start, anchor) : start,
  };
}

function periodNow({ items, start_date: start }: Subscription): Period {
  const [item] = items.data;
  return {
    start: item?.current_period_start ?? Number(start),
    end: item?.current_period_end ?? Number(start),
  };
}
