export { createOrder, type NewOrder, type NewOrderItem, orderNumberOf } from './create-order.ts';
export { captureHolds, extendHolds, type Hold, releaseHolds, restockOrder, type Shortage, takeHolds } from './hold.ts';
export { lockOrder, saveOrder } from './lock-order.ts';
export {
  type Attention,
  type FulfillmentStatus,
  fulfillmentStatuses,
  type Gift,
  Order,
  orderStatuses,
  paymentStatuses,
  type ShippingAddress,
} from './order.ts';
export { hasGoodsToShip, type OrderForShipping, orderForShipping } from './order-for-shipping.ts';
export { orderPersonalData } from './personal-data.ts';
export { OrderLabelView, OrderView } from './present.ts';
export {
  findOrder,
  findOrderByNumber,
  hasBought,
  listManagedOrders,
  listOrders,
  type ManagedOrder,
  orderItems,
  readManagedOrder,
  readOrder,
  readOrders,
} from './read-order.ts';
export { type FulfillmentUpdate, recordFulfillment } from './record-fulfillment.ts';
export { orderRetention } from './retention.ts';
export {
  lockReturnableOrder,
  type ReturnableItem,
  type ReturnableOrder,
  releaseReturn,
  reserveReturn,
} from './returnable-order.ts';
