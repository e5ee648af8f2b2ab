import { defineRoute } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import {
  listAllSubscriptions,
  readSubscription,
  SubscriptionView,
  subscriptionStatuses,
} from '#src/domain/subscriptions/index.ts';
import { found } from '#src/lib/errors.ts';
import { Email, Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { reading } from './audience.ts';

export const getSubscriptions = defineRoute({
  ...reading('orders'),
  operationId: 'admin.listSubscriptions',
  method: 'get',
  path: '/api/v1/admin/subscriptions',
  summary: 'List the subscriptions of the store, newest first.',
  query: Type.Object({
    status: Type.Optional(Type.Enum([...subscriptionStatuses])),
    email: Type.Optional(Email),
    ...PageQuery,
  }),
  responses: { 200: PageOf('subscriptions', SubscriptionView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listAllSubscriptions(ctx, query);
    return ok({ subscriptions: rows, cursor });
  },
});

export const getSubscription = defineRoute({
  ...reading('orders'),
  operationId: 'admin.getSubscription',
  method: 'get',
  path: '/api/v1/admin/subscriptions/:id',
  summary: 'Read a subscription.',
  params: Type.Object({ id: Id('sub') }),
  responses: { 200: Type.Object({ subscription: SubscriptionView }) },
  async handle({ ctx, params }) {
    return ok({ subscription: found(await readSubscription(ctx, params.id), 'subscription') });
  },
});
