import { defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import {
  correctEmail,
  dismissAttention,
  ManagedOrderView,
  OrderFileView,
  presentManagedOrder,
  readOrderFile,
  resendReceipt,
} from '#src/domain/backoffice/index.ts';
import { listManagedOrders, OrderFilter } from '#src/domain/orders/index.ts';
import { presentRefund, RefundInput, RefundView, requestRefund } from '#src/domain/payments/index.ts';
import {
  cancelShipment,
  correctTracking,
  editAddress,
  markFulfilled,
  ShippingAddressInput,
} from '#src/domain/shipping/index.ts';
import {
  Email,
  Id,
  Line,
  Nullable,
  PageOf,
  PageQuery,
  Text,
  Timestamp,
  TrackingNumber,
  Type,
} from '#src/lib/schema.ts';
import { reading, searched, writing } from './audience.ts';

const Named = Type.Object({ id: Id('ord') });
const Parcel = Type.Object({
  carrier: Line(100, { trimmed: true, examples: ['USPS'] }),
  tracking_number: TrackingNumber,
});
const OrderResponse = Type.Object({ order: OrderFileView });

export const getOrders = defineRoute({
  ...reading('orders'),
  operationId: 'admin.listOrders',
  method: 'get',
  path: '/api/v1/admin/orders',
  summary:
    'List orders, newest first. `?needs_attention=true` lists those that need attention, `?updated_since=…` those that ' +
    'changed since then, the latest change last.',
  description:
    `${searched('orders')} ` +
    'To keep a copy up to date, read all pages with an `updated_since` of a minute before the latest `updated_at` that ' +
    'you had when the reading before it began: of changes at about the same time, a later one may be listed sooner, and ' +
    'a reading goes on for as long as orders change. Of two copies of an order, the one with the higher `version` is newer.',
  query: Type.Object({
    ...OrderFilter.properties,
    q: Type.Optional(
      Text(200, {
        description:
          'An order number, with or without `ORD-` or `#`, an id, an email, a tracking number, or words of the ' +
          'name of a customer, or their beginnings.',
        examples: ['ORD-1001'],
      }),
    ),
    updated_since: Type.Optional(Timestamp),
    ...PageQuery,
  }),
  responses: { 200: PageOf('orders', ManagedOrderView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listManagedOrders(ctx, query);
    return ok({ orders: rows.map(presentManagedOrder), cursor });
  },
});

export const getOrder = defineRoute({
  ...reading('orders'),
  operationId: 'admin.getOrder',
  method: 'get',
  path: '/api/v1/admin/orders/:id',
  summary: 'Read an order with its label, refunds, timeline, and what to do if it needs attention.',
  params: Named,
  responses: { 200: OrderResponse },
  async handle({ ctx, params }) {
    return ok({ order: await readOrderFile(ctx, params.id) });
  },
});

export const postShipment = defineRoute({
  ...writing('labels'),
  operationId: 'admin.shipOrder',
  method: 'post',
  path: '/api/v1/admin/orders/:id/ship',
  idempotent: 'resumable',
  summary: 'Mark an order as shipped by hand. No label is bought, and the shopper is notified.',
  params: Named,
  body: Parcel,
  errors: ['label_in_progress', 'order_not_shippable'],
  responses: { 200: OrderResponse },
  async handle({ ctx, params: { id: orderId }, body: { carrier, tracking_number: trackingNumber } }) {
    await markFulfilled(ctx, { orderId, carrier, trackingNumber });
    return ok({ order: await readOrderFile(ctx, orderId) });
  },
});

export const postShipmentCancellation = defineRoute({
  ...writing('labels'),
  operationId: 'admin.cancelShipment',
  method: 'post',
  path: '/api/v1/admin/orders/:id/ship/cancel',
  summary: 'Undo marking an order as shipped by hand. Parcels entered by hand are removed. No email is sent.',
  params: Named,
  idempotent: 'atomic',
  errors: ['order_not_shippable', 'order_shipped'],
  responses: { 200: OrderResponse },
  async handle({ ctx, params: { id: orderId } }) {
    await cancelShipment(ctx, { orderId });
    return ok({ order: await readOrderFile(ctx, orderId) });
  },
});

export const postTrackingCorrection = defineRoute({
  ...writing('labels'),
  operationId: 'admin.correctTracking',
  method: 'post',
  path: '/api/v1/admin/orders/:id/tracking/correct',
  summary: 'Correct or remove a tracking number that was entered by hand. The shopper is sent a new one.',
  params: Named,
  body: Type.Object({
    tracking_number: Type.String({ ...TrackingNumber, description: 'The wrong one.' }),
    /** What replaces it; null removes it. */
    correction: Nullable(Parcel),
  }),
  idempotent: 'atomic',
  errors: ['label_purchased'],
  responses: { 200: OrderResponse },
  async handle({ ctx, params: { id: orderId }, body: { tracking_number: trackingNumber, correction } }) {
    await correctTracking(ctx, {
      orderId,
      trackingNumber,
      correction: correction && { carrier: correction.carrier, trackingNumber: correction.tracking_number },
    });
    return ok({ order: await readOrderFile(ctx, orderId) });
  },
});

/**
 * A refund must not be issued twice: a request with an idempotency key is executed once, and one without is not
 * repeated while another is open.
 */
export const postRefund = defineRoute({
  ...writing('refunds'),
  operationId: 'admin.refundOrder',
  method: 'post',
  path: '/api/v1/admin/orders/:id/refunds',
  summary: 'Refund an order. A worker issues the refund; the part that was paid with a gift card is returned last.',
  params: Named,
  body: RefundInput,
  idempotent: 'atomic',
  coalesced: true,
  errors: ['refund_not_allowed', 'second_factor_required'],
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

export const postReceipt = defineRoute({
  ...writing('orders'),
  operationId: 'admin.resendReceipt',
  method: 'post',
  path: '/api/v1/admin/orders/:id/receipt',
  summary: 'Resend the receipt of a paid order to its shopper.',
  params: Named,
  idempotent: 'atomic',
  coalesced: true,
  errors: ['no_receipt'],
  responses: { 202: OrderResponse },
  async handle({ ctx, params: { id: orderId } }) {
    await resendReceipt(ctx, orderId);
    return accepted({ order: await readOrderFile(ctx, orderId) });
  },
});

export const postAttentionDismissal = defineRoute({
  ...writing('orders'),
  operationId: 'admin.dismissOrderAttention',
  method: 'post',
  path: '/api/v1/admin/orders/:id/attention/dismiss',
  summary: 'Dismiss a flag of an order. Its code is required, so that a newer one is not dismissed.',
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
  ...writing('orders'),
  operationId: 'admin.replaceShippingAddress',
  method: 'put',
  path: '/api/v1/admin/orders/:id/shipping-address',
  summary: 'Correct the shipping address of an order. This does not retry its label.',
  params: Named,
  body: ShippingAddressInput,
  errors: ['label_purchased', 'label_in_progress', 'label_outcome_unknown', 'order_shipped', 'order_not_shippable'],
  responses: { 200: OrderResponse },
  async handle({ ctx, params: { id: orderId }, body: address }) {
    await editAddress(ctx, { orderId, address });
    return ok({ order: await readOrderFile(ctx, orderId) });
  },
});

export const putEmail = defineRoute({
  ...writing('orders'),
  operationId: 'admin.replaceOrderEmail',
  method: 'put',
  path: '/api/v1/admin/orders/:id/email',
  summary: 'Correct the email of an order, its returns and the subscriptions that it began. No email is sent.',
  description: 'Emails about it that wait, or were given up, go to the corrected email if they are sent.',
  params: Named,
  body: Type.Object({ email: Email }),
  responses: { 200: OrderResponse },
  async handle({ ctx, params: { id: orderId }, body: { email } }) {
    await correctEmail(ctx, { orderId, email });
    return ok({ order: await readOrderFile(ctx, orderId) });
  },
});
