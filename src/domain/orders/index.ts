export { createOrder, type NewOrder, type NewOrderItem, orderNumberOf, takeOrderNumber } from './create-order.ts';
export {
  type FulfillmentUpdate,
  type OrderForShipping,
  orderForShipping,
  orderForShippingOf,
  recordFulfillment,
} from './fulfillment.ts';
export {
  captureHolds,
  extendHolds,
  type Hold,
  releaseHolds,
  restockOrder,
  type Shortage,
  stockHolds,
  takeHolds,
  takeMissingStock,
} from './hold.ts';
export {
  hasNoLabel,
  isAnySent,
  isToShip,
  listManagedOrders,
  type ManagedOrder,
  matchesOrder,
  OrderFilter,
  readManagedOrder,
} from './managed-orders.ts';
export {
  type Attention,
  type FulfillmentStatus,
  fulfillmentStatuses,
  type Gift,
  lockOrder,
  Order,
  type OrderLabel,
  orderStatuses,
  paymentStatuses,
  type ShippingAddress,
  saveOrder,
} from './order.ts';
export { OrderNumber } from './order-number.ts';
export { savePastOrders } from './past-orders.ts';
export { orderPersonalData } from './personal-data.ts';
export { PastOrderInput } from './plan-past-order.ts';
export { OrderLabelView, OrderView, ShippingAddressView } from './present.ts';
export {
  findOrder,
  findOrderByNumber,
  hasBought,
  itemsBoughtAgain,
  listOrders,
  readOrder,
  readOrders,
} from './read-order.ts';
export {
  lockReturnableOrder,
  type ReturnableItem,
  type ReturnableOrder,
  releaseReturn,
  reserveReturn,
} from './returnable-order.ts';
