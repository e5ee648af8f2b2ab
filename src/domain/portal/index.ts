export { CancelInput, cancelOwnSubscription } from './cancel-own-subscription.ts';
export {
  CustomerHistoryView,
  listOwnOrders,
  listOwnReturns,
  listOwnSubscriptions,
  PortalView,
  readCustomerHistory,
  readPortal,
} from './portal.ts';
