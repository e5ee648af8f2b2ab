import type Stripe from 'stripe';

import type { PaymentGateway, SubscriptionChange } from '#src/domain/ports/payment-gateway.ts';
import { type Caller, newBudget, type SharedOptions } from './caller.ts';
import { nextOf, pageParams } from './pages.ts';
import { idOf, invoiceSnapshotOf, isPeriod, subscriptionSnapshotOf } from './snapshots.ts';

type SubscriptionCalls = Pick<
  PaymentGateway,
  'fetchSubscription' | 'changeSubscription' | 'fetchInvoice' | 'listPaidInvoices' | 'openBillingPortal'
>;

const linesMax = 500;

export function subscriptionCalls(stripe: Stripe, call: Caller): SubscriptionCalls {
  async function fetchLines(
    { id = '', lines: first }: Stripe.Invoice,
    shared: SharedOptions,
  ): Promise<Stripe.InvoiceLineItem[]> {
    const lines = [...first.data];
    for (let hasMore = first.has_more; hasMore && lines.length < linesMax; ) {
      const last = lines.at(-1)?.id;
      const page = await call({ ...shared, operation: 'invoices.listLineItems' }, (options) =>
        stripe.invoices.listLineItems(id, { limit: 100, ...(last && { starting_after: last }) }, options),
      );
      lines.push(...page.data);
      hasMore = page.has_more;
    }
    return lines;
  }

  /** A subscription contains its first items only. It has at most 20, so that one page lists them all. */
  async function fetchItems(
    { id, items }: Stripe.Subscription,
    shared: SharedOptions,
    expand?: string[],
  ): Promise<Stripe.SubscriptionItem[]> {
    if (!items.has_more) return items.data;
    const page = await call({ ...shared, operation: 'subscriptionItems.list' }, (options) =>
      stripe.subscriptionItems.list({ subscription: id, limit: 100, ...(expand && { expand }) }, options),
    );
    return page.data;
  }

  return {
    async fetchSubscription(account, id, signal) {
      const shared = { account, budget: newBudget(account), signal };
      const subscription = await call({ ...shared, operation: 'subscriptions.retrieve' }, (options) =>
        stripe.subscriptions.retrieve(id, { expand: ['customer', 'items.data.price.product'] }, options),
      );
      return subscriptionSnapshotOf(subscription, await fetchItems(subscription, shared, ['data.price.product']));
    },

    async changeSubscription(account, id, change, key, signal) {
      const shared = { account, budget: newBudget(account), signal };
      const current = change.action.startsWith('cancel')
        ? undefined
        : await call({ ...shared, operation: 'subscriptions.retrieve' }, (options) =>
            stripe.subscriptions.retrieve(id, {}, options),
          );
      const items = current && change.action === 'change_interval' ? await fetchItems(current, shared) : [];
      await call({ ...shared, operation: `subscriptions.${change.action}`, key }, (options) =>
        send(stripe, id, change, { current, items }, options),
      );
    },

    async fetchInvoice(account, id, signal) {
      const budget = newBudget(account);
      const invoice = await call({ account, operation: 'invoices.retrieve', budget, signal }, (options) =>
        stripe.invoices.retrieve(id, { expand: ['payments'] }, options),
      );
      return invoiceSnapshotOf(invoice, await fetchLines(invoice, { account, budget, signal }));
    },

    async listPaidInvoices(account, range, signal) {
      const page = await call({ account, operation: 'invoices.list', signal }, (options) =>
        stripe.invoices.list({ status: 'paid', ...pageParams(range) }, options),
      );
      const invoices = page.data.map(async (invoice) => {
        const { data, has_more: hasMore } = invoice.lines;
        return invoiceSnapshotOf(
          invoice,
          hasMore && !data.some(isPeriod) ? await fetchLines(invoice, { account, signal }) : data,
        );
      });
      return { invoices: await Promise.all(invoices), next: nextOf(page) };
    },

    async openBillingPortal(account, customer, returnUrl, signal) {
      const session = await call({ account, operation: 'billingPortal.sessions.create', signal }, (options) =>
        stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }, options),
      );
      return session.url;
    },
  };
}

/** Stripe rejects a pause of a paused subscription and a resumption of any other, so these are not sent. */
async function send(
  stripe: Stripe,
  id: string,
  { action, interval }: SubscriptionChange,
  { current, items }: { current: Stripe.Subscription | undefined; items: readonly Stripe.SubscriptionItem[] },
  options: Stripe.RequestOptions,
): Promise<unknown> {
  switch (action) {
    case 'pause':
      if (current?.status === 'paused') return undefined;
      // What was paid has been shipped, so nothing of it is credited.
      return stripe.subscriptions.pause(
        id,
        { type: 'subscription', bill_for: { unused_time_from: { type: 'none' } } },
        options,
      );
    case 'resume':
      if (current?.status !== 'paused') return undefined;
      // A period that is paid stays paid: the next charge comes at the next date of the same billing cycle.
      return stripe.subscriptions.resume(
        id,
        { billing_cycle_anchor: { type: 'unchanged' }, proration_behavior: 'none' },
        options,
      );
    case 'cancel':
      return stripe.subscriptions.cancel(id, {}, options);
    case 'cancel_at_period_end':
      return stripe.subscriptions.update(id, { cancel_at_period_end: true }, options);
    case 'keep':
      // Stripe accepts only one of the two fields: the one that cancels it now.
      return current?.cancel_at && !current.cancel_at_period_end
        ? stripe.subscriptions.update(id, { cancel_at: '' }, options)
        : stripe.subscriptions.update(id, { cancel_at_period_end: false }, options);
    case 'change_interval':
      return changeInterval(stripe, id, interval === 'quarter' ? 3 : 1, items, options);
  }
}

/**
 * Changing the interval alone would charge a whole new period at once. Until the paid period ends the subscription is a
 * trial instead, which charges nothing; the first new period begins when the trial ends.
 */
async function changeInterval(
  stripe: Stripe,
  id: string,
  months: 1 | 3,
  items: readonly Stripe.SubscriptionItem[],
  options: Stripe.RequestOptions,
): Promise<unknown> {
  if (items.every(({ price }) => price.recurring?.interval_count === months)) return undefined;
  return stripe.subscriptions.update(
    id,
    {
      proration_behavior: 'none',
      trial_end: Math.max(...items.map(({ current_period_end: end }) => end)),
      items: items.map((item) => ({
        id: item.id,
        // With a new price, Stripe sets it to 1 unless it is given.
        quantity: item.quantity ?? 1,
        price_data: {
          currency: item.price.currency,
          product: idOf(item.price.product) ?? '',
          ...amountOf(item.price),
          ...taxOf(item.price),
          recurring: { interval: 'month', interval_count: months },
        },
      })),
    },
    options,
  );
}

/** Only the decimal has a price of a part of a cent. Stripe rejects one that has neither, such as of tiers. */
const amountOf = ({ unit_amount: whole, unit_amount_decimal: decimal }: Stripe.Price) =>
  whole === null ? { ...(decimal && { unit_amount_decimal: decimal }) } : { unit_amount: whole };

/** Without it, the price would get what is the account's default by now. */
const taxOf = ({ tax_behavior: taxBehavior }: Stripe.Price) =>
  taxBehavior === 'inclusive' || taxBehavior === 'exclusive' ? { tax_behavior: taxBehavior } : {};
