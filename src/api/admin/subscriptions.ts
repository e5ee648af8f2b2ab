import { defineRoute } from '#src/api/lib/define-route.ts';
import { errorsOfPayments } from '#src/api/lib/documented-errors.ts';
import { ok } from '#src/api/lib/reply.ts';
import { ManageInput, manageSubscription, reactivateSubscription } from '#src/domain/payments/index.ts';
import {
  listSubscriptions,
  readSubscription,
  SubscriptionFilter,
  SubscriptionView,
} from '#src/domain/subscriptions/index.ts';
import { found } from '#src/lib/errors.ts';
import { Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { reading, searched, writing } from './audience.ts';

const Named = Type.Object({ id: Id('sub') });
const responses = { 200: Type.Object({ subscription: SubscriptionView }) };
const errors = ['subscription_canceled', ...errorsOfPayments] as const;

export const getSubscriptions = defineRoute({
  ...reading('orders'),
  operationId: 'admin.listSubscriptions',
  method: 'get',
  path: '/api/v1/admin/subscriptions',
  summary: 'List the subscriptions of the store, newest first.',
  description: searched('subscriptions'),
  query: Type.Object({ ...SubscriptionFilter.properties, ...PageQuery }),
  responses: { 200: PageOf('subscriptions', SubscriptionView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listSubscriptions(ctx, query);
    return ok({ subscriptions: rows, cursor });
  },
});

export const getSubscription = defineRoute({
  ...reading('orders'),
  operationId: 'admin.getSubscription',
  method: 'get',
  path: '/api/v1/admin/subscriptions/:id',
  summary: 'Read a subscription.',
  params: Named,
  responses,
  async handle({ ctx, params }) {
    return ok({ subscription: found(await readSubscription(ctx, params.id), 'subscription') });
  },
});

export const postManage = defineRoute({
  ...writing('orders'),
  operationId: 'admin.manageSubscription',
  method: 'post',
  path: '/api/v1/admin/subscriptions/:id/manage',
  idempotent: 'resumable',
  summary: 'Pause, resume or cancel a subscription, or change its interval or address, as its customer can.',
  params: Named,
  body: ManageInput,
  errors: [...errors, 'price_unavailable'],
  responses,
  async handle({ ctx, params, body }) {
    return ok({ subscription: await manageSubscription(ctx, params.id, body) });
  },
});

export const postReactivate = defineRoute({
  ...writing('orders'),
  operationId: 'admin.reactivateSubscription',
  method: 'post',
  path: '/api/v1/admin/subscriptions/:id/reactivate',
  idempotent: 'resumable',
  summary: 'Undo a cancellation at the end of the period.',
  params: Named,
  errors,
  responses,
  async handle({ ctx, params }) {
    return ok({ subscription: await reactivateSubscription(ctx, params.id) });
  },
});
