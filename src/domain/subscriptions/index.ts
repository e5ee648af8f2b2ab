export { applySubscription, type FetchedSubscription, subscriberOf } from './apply-subscription.ts';
export { changeAddress } from './change-address.ts';
export { changeSubscriber } from './change-subscriber.ts';
export { subscriptionPersonalData } from './personal-data.ts';
export {
  type LiveSubscription,
  listSubscriptions,
  liveSubscriptions,
  liveSubscriptionsOf,
  matchesSubscription,
  readSubscription,
  readSubscriptions,
  SubscriptionFilter,
  SubscriptionView,
  subscriptionAddress,
} from './read-subscriptions.ts';
export { Subscription } from './subscription.ts';
