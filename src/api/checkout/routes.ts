import { defineRoute, largeBodyBytesMax, toBearer, toDual } from '#src/api/lib/define-route.ts';
import { errorsOfPayments } from '#src/api/lib/documented-errors.ts';
import { ok } from '#src/api/lib/reply.ts';
import {
  CheckoutInput,
  CheckoutSessionView,
  CheckoutStatusView,
  createCheckoutSession,
  readCheckoutStatus,
} from '#src/domain/checkout/index.ts';
import { found } from '#src/lib/errors.ts';
import { Id, Type } from '#src/lib/schema.ts';

export const postCheckoutSessions = defineRoute({
  operationId: 'createCheckoutSession',
  method: 'post',
  path: '/api/v1/checkout/sessions',
  tag: 'checkout',
  summary: 'Create a pending order and its hosted payment session.',
  audience: toBearer('checkout:write'),
  body: CheckoutInput,
  bodyBytesMax: largeBodyBytesMax,
  limit: 'ceiling',
  guesses: [
    { field: 'promo_code', limit: 'promo', wrong: 'promo_not_applicable' },
    { field: 'gift_card_code', limit: 'gift_card', wrong: 'gift_card_not_applicable' },
  ],
  idempotent: 'resumable',
  errors: [
    'unknown_product',
    'variant_required',
    'price_unavailable',
    'mixed_intervals',
    'too_many_items',
    'amount_too_small',
    'promo_not_applicable',
    'gift_card_not_applicable',
    'module_disabled',
    'duplicate_subscription',
    'insufficient_stock',
    ...errorsOfPayments,
  ],
  responses: { 200: CheckoutSessionView },
  async handle({ ctx, body, idempotencyId }) {
    return ok(await createCheckoutSession(ctx, body, { requestKey: idempotencyId }));
  },
});

/** For the page that a shopper returns to after paying. Fulfilment relies on the `order.paid` event instead. */
export const getCheckoutStatus = defineRoute({
  operationId: 'getCheckoutStatus',
  method: 'get',
  path: '/api/v1/checkout/:orderId/status',
  tag: 'checkout',
  summary: "Read the status of a checkout's order.",
  audience: toDual('checkout:read'),
  params: Type.Object({ orderId: Id('ord') }),
  limit: 'checkout_status',
  responses: { 200: CheckoutStatusView },
  async handle({ ctx, params }) {
    const status = found(await readCheckoutStatus(ctx, params.orderId), 'order');
    return ok(status);
  },
});
