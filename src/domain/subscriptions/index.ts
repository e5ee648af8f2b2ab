export { applySubscription, type Subscriber } from './apply-subscription.ts';
export { type LiveSubscription, liveSubscriptions, liveSubscriptionsOf } from './live-subscriptions.ts';
export { subscriptionPersonalData } from './personal-data.ts';
export { presentSubscription, type SubscriptionRecord, SubscriptionView } from './present.ts';
export {
  listAllSubscriptions, listSubscriptions, readSubscription, readSubscriptions, type SubscriptionFilter,
} from './read-subscription.ts';
export { Subscription, type SubscriptionStatus, subscriptionStatuses } from './subscription.ts';
