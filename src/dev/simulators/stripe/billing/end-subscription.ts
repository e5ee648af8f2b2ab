import type { Account } from '../account.ts';
import type { Subscription } from '../objects/subscription.ts';

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

/** What a subscription says of its cancellation, given what was just said of it. */
export function withDetails(subscription: Subscription, details: CancellationDetails): object {
  return {
    ...Object(subscription['cancellation_details']),
    ...details,
    reason: 'cancellation_requested',
  };
}
