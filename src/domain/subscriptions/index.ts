export { applySubscription, type FetchedSubscription, subscriberOf } from './apply-subscription.ts';
export { subscriptionPersonalData } from './personal-data.ts';
export {
  type LiveSubscription,
  listAllSubscriptions,
  listSubscriptions,
  liveSubscriptions,
  liveSubscriptionsOf,
  readSubscription,
  readSubscriptions,
  SubscriptionView,
} from './read-subscriptions.ts';
export { Subscription, subscriptionStatuses } from './subscription.ts';
