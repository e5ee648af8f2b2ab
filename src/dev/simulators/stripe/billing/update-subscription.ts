import { changedMetadata } from '../api/check-metadata.ts';
import { invalid, noSuch } from '../api/error.ts';
import { createInlinePrice, planOf } from '../catalogue/price.ts';
import { checkPriceData } from '../checkout/check-line-items.ts';
import type { Account } from '../state/account.ts';
import type { MetadataChange, Price, Subscription, SubscriptionItem } from '../state/objects.ts';
import type { PriceData } from '../state/session-params.ts';
import { beginTrial, invoicePeriod, prorate, restartPeriod } from './renew-subscription.ts';
import { type CancellationDetails, itemList, newItem, withDetails } from './subscription.ts';

export interface UpdateSubscriptionParams {
  readonly cancel_at?: number | string | null;
  readonly cancel_at_period_end?: boolean;
  readonly cancellation_details?: CancellationDetails;
  readonly description?: string | null;
  readonly items?: readonly ItemParams[];
  readonly metadata?: MetadataChange | null;
  readonly proration_behavior?: string;
  readonly trial_end?: number | 'now';
}

interface ItemParams {
  readonly id?: string;
  readonly deleted?: boolean;
  readonly price?: string;
  readonly price_data?: PriceData;
  readonly quantity?: number;
  readonly metadata?: MetadataChange | null;
}

/**
 * Change a running subscription. A new interval begins a period at once, which is invoiced, or begins when a trial
 * ends. Both credit the rest of the present period unless prorations are off. Other prorations are not calculated: a
 * new price or quantity counts from the next invoice.
 */
export function updateSubscription(
  account: Account,
  subscription: Subscription,
  params: UpdateSubscriptionParams,
): Subscription {
  const { cancel_at_period_end: ends } = params;
  if (ends !== undefined && params.cancel_at) {
    throw invalid('You may only specify one of these parameters: cancel_at, cancel_at_period_end.', 'cancel_at');
  }
  const items = params.items && changedItems(account, subscription, params.items);
  const hasNewInterval = items !== undefined && intervalsOf(items) !== intervalsOf(subscription.items.data);
  const trialEnd = trialEndOf(account, params);
  if ((hasNewInterval || trialEnd !== null) && params.proration_behavior !== 'none') prorate(account, subscription, -1);
  const changed = account.change(
    subscription,
    {
      ...(ends !== undefined && cancellation(account, subscription, ends, params.cancellation_details ?? {})),
      ...(typeof params.cancel_at === 'number' && { cancel_at: params.cancel_at, canceled_at: account.now }),
      ...(params.cancel_at === null && { cancel_at: null, canceled_at: null }),
      ...(params.description !== undefined && { description: params.description }),
      ...(items && { items: itemList(subscription.id, items) }),
      metadata: changedMetadata(subscription.metadata, params.metadata),
    },
    'customer.subscription.updated',
  );
  if (trialEnd !== null) beginTrial(account, changed, trialEnd);
  else if (hasNewInterval) {
    restartPeriod(account, changed);
    invoicePeriod(account, changed, 'subscription_update', 'paid');
  }
  return changed;
}

function trialEndOf(account: Account, { trial_end: end }: UpdateSubscriptionParams): number | null {
  if (end === undefined) return null;
  if (end === 'now') throw invalid('The simulator does not end a trial early.', 'trial_end');
  if (end <= account.now) throw invalid('Invalid timestamp: must be in the future.', 'trial_end');
  return end;
}

const intervalsOf = (items: readonly SubscriptionItem[]): string =>
  items.map(({ price: { recurring } }) => `${recurring?.interval_count} ${recurring?.interval}`).join();

function cancellation(
  account: Account,
  subscription: Subscription,
  ends: boolean,
  details: CancellationDetails,
): Partial<Subscription> {
  if (!ends) {
    const nothing = { comment: null, feedback: null, feedback_option: null, reason: null };
    return { cancel_at: null, cancel_at_period_end: false, canceled_at: null, cancellation_details: nothing };
  }
  return {
    cancel_at: subscription.items.data[0]?.current_period_end ?? null,
    cancel_at_period_end: true,
    canceled_at: account.now,
    cancellation_details: withDetails(subscription, details),
  };
}

function changedItems(
  account: Account,
  subscription: Subscription,
  changes: readonly ItemParams[],
): SubscriptionItem[] {
  let items = [...subscription.items.data];
  changes.forEach((change, index) => {
    const path = `items[${index}]`;
    const price = priceOf(account, change, path);
    if (change.id === undefined) {
      items.push(addedItem(account, subscription, change, price));
      return;
    }
    const item = items.find(({ id }) => id === change.id);
    if (!item) throw noSuch('subscription_item', change.id, `${path}[id]`);
    if (change.deleted) items = items.filter((other) => other !== item);
    else items = items.map((other) => (other === item ? changedItem(item, change, price) : other));
  });
  if (items.length === 0) throw invalid('A subscription must have at least one active plan.', 'items');
  return items;
}

/** As at Stripe, a new price sets the quantity to 1 unless the request has one. */
function changedItem(item: SubscriptionItem, change: ItemParams, price: Price | undefined): SubscriptionItem {
  return {
    ...item,
    metadata: changedMetadata(item.metadata, change.metadata),
    quantity: change.quantity ?? (price ? 1 : item.quantity),
    ...(price && { price, plan: planOf(price) }),
  };
}

function addedItem(
  account: Account,
  subscription: Subscription,
  { quantity = 1, metadata }: ItemParams,
  price: Price | undefined,
): SubscriptionItem {
  const [first] = subscription.items.data;
  if (!price || !first) throw invalid('A new subscription item needs a price.', 'items');
  const period = { start: account.now, end: first.current_period_end };
  const item = newItem(account, { subscription: subscription.id, price, quantity, period });
  return { ...item, metadata: changedMetadata({}, metadata) };
}

function priceOf(account: Account, { price: id, price_data: data }: ItemParams, path: string): Price | undefined {
  if (id !== undefined) return account.prices.need(id, `${path}[price]`);
  if (!data) return undefined;
  checkPriceData(account, data, `${path}[price_data]`);
  return createInlinePrice(account, data);
}
