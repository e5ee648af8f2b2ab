import { invalid, noSuch } from '../api/error.ts';
import { list, type Operation, operation, retrieve } from '../api/operation.ts';
import type { Account } from '../state/account.ts';
import { type Invoice, listObject, type Subscription } from '../state/objects.ts';
import { type PageParams, pageOf } from '../state/table.ts';
import { advancePeriod, invoicePeriod, prorate, restartPeriod } from './renew-subscription.ts';
import { type CancellationDetails, endSubscription, isInTrial } from './subscription.ts';
import { type UpdateSubscriptionParams, updateSubscription } from './update-subscription.ts';

interface PauseParams {
  readonly bill_for?: { readonly unused_time_from?: { readonly type: string } };
}

interface ResumeParams {
  readonly billing_cycle_anchor?: { readonly type: 'now' | 'unchanged' };
  readonly proration_behavior?: string;
}

export const subscriptions: readonly Operation[] = [
  retrieve('GET /v1/subscriptions/{id}', (account) => account.subscriptions),
  list<Subscription>(
    'GET /v1/subscriptions',
    (account) => account.subscriptions,
    {
      status: ({ status }, wanted) =>
        wanted === 'all' || (wanted === 'ended' ? status === 'canceled' : status === wanted),
      price: ({ items }, wanted) => items.data.some(({ price }) => price.id === wanted),
    },
    ({ status }, params) => 'status' in params || status !== 'canceled',
  ),
  operation<UpdateSubscriptionParams>('POST /v1/subscriptions/{id}', ({ account, id, params }) =>
    updateSubscription(account, running(account, id), params),
  ),
  operation<{ cancellation_details?: CancellationDetails }>(
    'DELETE /v1/subscriptions/{id}',
    ({ account, id, params }) => endSubscription(account, running(account, id), params.cancellation_details),
  ),
  operation<PauseParams>('POST /v1/subscriptions/{id}/pause', ({ account, id, params }) => {
    const subscription = running(account, id);
    if (subscription.status !== 'active' && subscription.status !== 'trialing') {
      throw invalid(`You cannot pause a subscription that is ${subscription.status}.`);
    }
    // Stripe credits the rest of the period unless the request says not to.
    if (params.bill_for?.unused_time_from?.type !== 'none') prorate(account, subscription, -1);
    const status_details = {
      paused: {
        subscription: { type: 'pause_requested' },
        transitioned_at: account.now,
        type: 'subscription',
      },
    };
    return account.change(subscription, { status: 'paused', status_details }, 'customer.subscription.paused');
  }),
  operation<ResumeParams>('POST /v1/subscriptions/{id}/resume', ({ account, id, params }) => {
    const subscription = running(account, id);
    if (subscription.status !== 'paused') {
      throw invalid(`You cannot resume a subscription that is ${subscription.status}.`);
    }
    delete subscription['status_details'];
    const renewed = params.billing_cycle_anchor?.type !== 'unchanged';
    if (renewed) restartPeriod(account, subscription);
    else advancePeriod(account, subscription);
    if (!renewed && params.proration_behavior !== 'none') prorate(account, subscription, 1);
    const status = isInTrial(subscription) ? 'trialing' : 'active';
    account.change(subscription, { status }, 'customer.subscription.resumed');
    if (renewed) invoicePeriod(account, subscription, 'subscription_update', 'paid');
    return subscription;
  }),
  operation<PageParams & { subscription: string }>('GET /v1/subscription_items', ({ account, params }) => {
    const { items } = account.subscriptions.need(params.subscription, 'subscription');
    return listObject('/v1/subscription_items', pageOf(items.data, params));
  }),

  retrieve('GET /v1/invoices/{id}', (account) => account.invoices),
  list<Invoice>('GET /v1/invoices', (account) => account.invoices, {
    subscription: ({ parent }, wanted) => parent.subscription_details?.subscription === wanted,
  }),
  operation<PageParams>('GET /v1/invoices/{id}/lines', ({ account, id, params }) => {
    const invoice = account.invoices.need(id);
    return listObject(`/v1/invoices/${id}/lines`, pageOf(account.invoiceLines.get(invoice.id) ?? [], params));
  }),
];

/** A canceled subscription can be neither changed nor resumed. */
function running(account: Account, id: string): Subscription {
  const subscription = account.subscriptions.need(id);
  if (subscription.status === 'canceled') throw noSuch('subscription', id);
  return subscription;
}
