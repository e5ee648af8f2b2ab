import { defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import {
  dismissAttention,
  ManagedOrderView,
  OrderFileView,
  presentManagedOrder,
  readOrderFile,
} from '#src/domain/backoffice/index.ts';
import { fulfillmentStatuses, listManagedOrders, orderStatuses } from '#src/domain/orders/index.ts';
import { presentRefund, RefundInput, RefundView, requestRefund } from '#src/domain/payments/index.ts';
import { editAddress, markFulfilled, ShippingAddressInput } from '#src/domain/shipping/index.ts';
import { Email, Id, PageOf, PageQuery, Text, Type } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

const Named = Type.Object({ id: Id('ord') });
const OrderResponse = Type.Object({ order: OrderFileView });

export const getOrders = defineRoute({
  ...reading,
  method: 'get',
  path: '/api/v1/admin/orders',
  summary: 'List the orders, the newest first: `?needs_attention=true` are those that wait for a person.',
  query: Type.Object({
    status: Type.Optional(Type.Enum([...orderStatuses])),
    fulfillment_status: Type.Optional(Type.Enum([...fulfillmentStatuses])),
    email: Type.Optional(Email),
    needs_attention: Type.Optional(Type.Boolean()),
    ...PageQuery,
  }),
  responses: { 200: PageOf('orders', ManagedOrderView) },
  async handle({ ctx, query: { fulfillment_status: fulfillmentStatus, needs_attention: needsAttention, ...query } }) {
    const { rows, cursor } = await listManagedOrders(ctx, { ...query, fulfillmentStatus, needsAttention });
    return ok({ orders: rows.map(presentManagedOrder), cursor });
  },
});

export const getOrder = defineRoute({
  ...reading,
  method: 'get',
  path: '/api/v1/admin/orders/:id',
  summary: 'Read an order with its label, its refunds, what happened to it, and what to do if it needs a person.',
  params: Named,
  responses: { 200: OrderResponse },
  async handle({ ctx, params }) {
    return ok({ order: await readOrderFile(ctx, params.id) });
  },
});

export const postShipment = defineRoute({
  ...writing,
  method: 'post',
  path: '/api/v1/admin/orders/:id/ship',
  idempotent: 'resumable',
  summary: 'Note that the goods were sent by hand. No label is bought any more, and the shopper is told.',
  params: Named,
  body: Type.Object({
    carrier: Text(100, { examples: ['USPS'] }),
    tracking_number: Text(100, { examples: ['9400100000000000000000'] }),
  }),
  errors: ['label_in_progress', 'order_not_shippable'],
  responses: { 200: OrderResponse },
  async handle({ ctx, params: { id: orderId }, body: { carrier, tracking_number: trackingNumber } }) {
    await markFulfilled(ctx, { orderId, carrier, trackingNumber });
    return ok({ order: await readOrderFile(ctx, orderId) });
  },
});

/**
 * Money that goes back twice is gone: a request that names itself is run once, and one that does not is no second wish.
 */
export const postRefund = defineRoute({
  ...writing,
  method: 'post',
  path: '/api/v1/admin/orders/:id/refunds',
  summary:
    "Give money of an order back: promised here, issued by a worker. A gift card's share follows the last of it.",
  params: Named,
  body: RefundInput,
  idempotent: 'atomic',
  coalesced: true,
  errors: ['refund_not_allowed'],
  responses: { 202: Type.Object({ refund: RefundView }) },
  async handle({ ctx, params, body: { amount_cents: amountCents, reason }, idempotencyId }) {
    const refund = await requestRefund(ctx, {
      orderId: params.id,
      amountCents,
      reason,
      isNamed: Boolean(idempotencyId),
    });
    return accepted({ refund: presentRefund(refund) });
  },
});

export const postAttentionDismissal = defineRoute({
  ...writing,
  method: 'post',
  path: '/api/v1/admin/orders/:id/attention/dismiss',
  summary:
    'Note that what was the matter with an order was seen to: its code is named, so that nothing newer is dismissed.',
  params: Named,
  body: Type.Object({ code: Text(100, { examples: ['paid_twice'] }) }),
  errors: ['version_conflict'],
  responses: { 200: OrderResponse },
  async handle({ ctx, params: { id: orderId }, body: { code } }) {
    await dismissAttention(ctx, { orderId, code });
    return ok({ order: await readOrderFile(ctx, orderId) });
  },
});

export const putAddress = defineRoute({
  ...writing,
  method: 'put',
  path: '/api/v1/admin/orders/:id/shipping-address',
  summary: 'Correct where an order goes. Its label is tried again when that is asked for.',
  params: Named,
  body: ShippingAddressInput,
  errors: ['label_purchased', 'label_in_progress', 'label_outcome_unknown', 'order_shipped', 'order_not_shippable'],
  responses: { 200: OrderResponse },
  async handle({ ctx, params: { id: orderId }, body: address }) {
    await editAddress(ctx, { orderId, address });
    return ok({ order: await readOrderFile(ctx, orderId) });
  },
});
