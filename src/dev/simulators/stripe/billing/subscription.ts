import { planOf } from '../catalogue/price.ts';
import type { Account } from '../state/account.ts';
import {
  type ListObject,
  listObject,
  type Metadata,
  type Period,
  type Price,
  type Recurring,
  type Subscription,
  type SubscriptionItem,
} from '../state/objects.ts';
import { pageOf } from '../state/table.ts';

export interface SubscriptionDraft {
  readonly customer: string;
  readonly currency: string;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly lines: readonly { readonly price: Price; readonly quantity: number }[];
  readonly trialEnd: number | null;
}

/** A running subscription, its first period begun now. The caller records its events. */
export function addSubscription(account: Account, draft: SubscriptionDraft): Subscription {
  const id = account.mint('sub');
  const start = account.now;
  const items = draft.lines.map(({ price, quantity }) =>
    newItem(account, {
      subscription: id,
      price,
      quantity,
      period: firstPeriod(price, start, draft.trialEnd),
    }),
  );
  return account.subscriptions.add({
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: draft.trialEnd ?? start,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: start,
    currency: draft.currency,
    customer: draft.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: account.mint('pm'),
    default_source: null,
    default_tax_rates: [],
    description: draft.description,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: itemList(id, items),
    latest_invoice: null,
    livemode: account.livemode,
    managed_payments: null,
    metadata: draft.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: start,
    status: draft.trialEnd === null ? 'active' : 'trialing',
    test_clock: null,
    transfer_data: null,
    trial_end: draft.trialEnd,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
    },
    trial_start: draft.trialEnd === null ? null : start,
  });
}

/** Whether the present period of a subscription is its trial. */
export const isInTrial = ({ trial_end: trialEnd, items }: Subscription): boolean =>
  trialEnd !== null && items.data.every(({ current_period_end: end }) => end <= trialEnd);

/** One priced line of a subscription, in a period of its own. */
export function newItem(
  account: Account,
  { subscription, price, quantity, period }: { subscription: string; price: Price; quantity: number; period: Period },
): SubscriptionItem {
  return {
    id: account.mint('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: account.now,
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

export function itemList(subscription: string, items: readonly SubscriptionItem[]): ListObject<SubscriptionItem> {
  return listObject(`/v1/subscription_items?subscription=${subscription}`, { data: items, has_more: false });
}

/** Replacer for JSON: a subscription contains its first ten items, wherever it is, and the others are only listed. */
export function withFirstItems(_field: string, value: unknown): unknown {
  return isSubscription(value) ? { ...value, items: listObject(value.items.url, pageOf(value.items.data, {})) } : value;
}

const isSubscription = (value: unknown): value is Subscription =>
  typeof value === 'object' && value !== null && 'items' in value && Object(value).object === 'subscription';

/**
 * The same instant one or more intervals later, on the day of the month of the anchor: the 31st becomes the last day of
 * a shorter month, and the 31st again after it.
 */
export function laterBy({ interval, interval_count: count }: Recurring, from: number, anchor = from): number {
  if (interval === 'day') return from + count * 86_400;
  if (interval === 'week') return from + count * 7 * 86_400;
  const date = new Date(from * 1000);
  const day = new Date(anchor * 1000).getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * (interval === 'year' ? 12 : 1));
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime() / 1000;
}

function firstPeriod(price: Price, start: number, trialEnd: number | null): Period {
  return { start, end: trialEnd ?? (price.recurring ? laterBy(price.recurring, start) : start) };
}

export interface CancellationDetails {
  readonly comment?: string | null;
  readonly feedback?: string | null;
}

/** End a subscription now and for good. */
export function endSubscription(
  account: Account,
  subscription: Subscription,
  details: CancellationDetails = {},
): Subscription {
  return account.change(
    subscription,
    {
      canceled_at: subscription.canceled_at ?? account.now,
      cancellation_details: withDetails(subscription, details),
      ended_at: account.now,
      status: 'canceled',
    },
    'customer.subscription.deleted',
  );
}

/** The cancellation details of a subscription, with the given ones. */
export function withDetails(subscription: Subscription, details: CancellationDetails): object {
  return {
    ...Object(subscription['cancellation_details']),
    ...details,
    reason: 'cancellation_requested',
  };
}
