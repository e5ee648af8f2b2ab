export { applySubscription, type FetchedSubscription, type Subscriber } from './apply-subscription.ts';
export { type LiveSubscription, liveSubscriptions, liveSubscriptionsOf } from './live-subscriptions.ts';
export { subscriptionPersonalData } from './personal-data.ts';
export { SubscriptionView } from './present.ts';
export { listAllSubscriptions, listSubscriptions, readSubscription, readSubscriptions } from './read-subscription.ts';
export { Subscription, subscriptionStatuses } from './subscription.ts';
