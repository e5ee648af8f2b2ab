export type { Attention } from './attention.ts';
export { createOrder, type NewOrder, type NewOrderItem, orderNumberOf } from './create-order.ts';
export { findOrder, findOrderByNumber } from './find-order.ts';
export { hasBought } from './has-bought.ts';
export { captureHolds, extendHolds, type Hold, releaseHolds, restockOrder, type Shortage, takeHolds } from './hold.ts';
export { lockOrder, saveOrder } from './lock-order.ts';
export { lockReturnableOrder, type ReturnableItem, type ReturnableOrder } from './lock-returnable-order.ts';
export {
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
  listManagedOrders,
  listOrders,
  type ManagedOrder,
  orderItems,
  readManagedOrder,
  readOrder,
  readOrders,
} from './read-order.ts';
export { type FulfillmentUpdate, recordFulfillment } from './record-fulfillment.ts';
export { releaseReturn } from './release-return.ts';
export { reserveReturn } from './reserve-return.ts';
export { orderRetention } from './retention.ts';
