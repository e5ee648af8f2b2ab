import { defineRoute, toBearer } from '#src/api/lib/define-route.ts';
import { errorsOfPayments } from '#src/api/lib/documented-errors.ts';
import { ok } from '#src/api/lib/reply.ts';
import { CheckoutSessionView, createGiftCheckout, GiftCheckoutInput } from '#src/domain/checkout/index.ts';
import { ManageInput, manageSubscription, reactivateSubscription } from '#src/domain/payments/index.ts';
import { readSubscription, SubscriptionView } from '#src/domain/subscriptions/index.ts';
import { found } from '#src/lib/errors.ts';
import { Id, Type } from '#src/lib/schema.ts';

const params = Type.Object({ id: Id('sub') });
const owned = { tag: 'subscriptions', limit: 'owner', module: 'subscriptions' } as const;
const responses = { 200: Type.Object({ subscription: SubscriptionView }) };
const errors = ['subscription_canceled', ...errorsOfPayments] as const;

export const getSubscription = defineRoute({
  ...owned,
  operationId: 'getSubscription',
  method: 'get',
  path: '/api/v1/subscriptions/:id',
  summary: 'Read a subscription.',
  audience: toBearer('subscriptions:read'),
  params,
  responses,
  async handle({ ctx, params }) {
    const subscription = found(await readSubscription(ctx, params.id), 'subscription');
    return ok({ subscription });
  },
});

export const postSubscriptionReactivate = defineRoute({
  ...owned,
  operationId: 'reactivateSubscription',
  method: 'post',
  path: '/api/v1/subscriptions/:id/reactivate',
  idempotent: 'resumable',
  summary: 'Undo a cancellation at the end of the period.',
  audience: toBearer('subscriptions:write'),
  params,
  errors,
  responses,
  async handle({ ctx, params }) {
    return ok({ subscription: await reactivateSubscription(ctx, params.id) });
  },
});

export const postSubscriptionManage = defineRoute({
  ...owned,
  operationId: 'manageSubscription',
  method: 'post',
  path: '/api/v1/subscriptions/:id/manage',
  idempotent: 'resumable',
  summary: 'Pause, resume or cancel a subscription, or change its interval or address.',
  description:
    'Nothing is charged at once, and a period that is paid stays paid. `pause` stops the charges and refunds ' +
    'nothing. `resume` continues the same billing cycle: the next charge and parcel come on its next date, and dates ' +
    'that passed during the pause are not charged. `change_interval` takes effect when the paid period ends: ' +
    '`interval` changes at once, `status` is `trialing` until `current_period_end`, and then the first new period is ' +
    'charged and shipped. A paused subscription has to be resumed before its interval is changed, and one with an ' +
    'overdue payment cannot be paused. Repeating `pause` or `resume` changes nothing. `change_address` sends the ' +
    'parcels of the next periods to `shipping_address`, and leaves orders as they are.',
  audience: toBearer('subscriptions:write'),
  params,
  body: ManageInput,
  errors: [...errors, 'price_unavailable'],
  responses,
  async handle({ ctx, params, body }) {
    return ok({ subscription: await manageSubscription(ctx, params.id, body) });
  },
});

export const postGiftCheckout = defineRoute({
  operationId: 'createGiftCheckoutSession',
  method: 'post',
  path: '/api/v1/subscriptions/gift-checkout',
  tag: 'subscriptions',
  summary: 'Buy some months of a subscription as a gift, paid at once.',
  audience: toBearer('checkout:write'),
  module: 'subscriptions',
  body: GiftCheckoutInput,
  limit: 'ceiling',
  idempotent: 'resumable',
  errors: ['unknown_product', 'price_unavailable', 'amount_too_small', 'insufficient_stock', ...errorsOfPayments],
  responses: { 200: CheckoutSessionView },
  async handle({ ctx, body, idempotencyId }) {
    return ok(await createGiftCheckout(ctx, body, { requestKey: idempotencyId }));
  },
});
