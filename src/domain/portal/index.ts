export { CancelInput, cancelOwnSubscription } from './cancel-own-subscription.ts';
export { listOwnOrders, listOwnReturns, listOwnSubscriptions } from './list-own.ts';
export { CustomerHistoryView, readCustomerHistory } from './read-customer-history.ts';
export { PortalView, readPortal } from './read-portal.ts';
