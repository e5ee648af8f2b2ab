export {
  CancelInput,
  CustomerHistoryView,
  cancelOwnSubscription,
  listOwnOrders,
  listOwnReturns,
  listOwnSubscriptions,
  PortalView,
  readCustomerHistory,
  readPortal,
} from './portal.ts';
