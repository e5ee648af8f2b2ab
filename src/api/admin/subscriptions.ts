import { defineRoute, toBearer } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import {
  listAllSubscriptions, readSubscription, subscriptionStatuses, SubscriptionView,
} from '#src/domain/subscriptions/index.ts';
import { notFound } from '#src/lib/errors.ts';
import { Email, Id, Nullable, PageQuery, Type } from '#src/lib/schema.ts';

export const getSubscriptions = defineRoute({
  method: 'get',
  path: '/api/v1/admin/subscriptions',
  tag: 'admin',
  summary: 'List the subscriptions of the store, the newest first.',
  audience: toBearer('admin:read'),
  query: Type.Object({
    status: Type.Optional(Type.Enum([...subscriptionStatuses])), email: Type.Optional(Email), ...PageQuery,
  }),
  answers: { 200: Type.Object({ subscriptions: Type.Array(SubscriptionView), cursor: Nullable(Type.String()) }) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listAllSubscriptions(ctx, query);
    return ok({ subscriptions: rows, cursor });
  },
});

export const getSubscription = defineRoute({
  method: 'get',
  path: '/api/v1/admin/subscriptions/:id',
  tag: 'admin',
  summary: 'Read a subscription.',
  audience: toBearer('admin:read'),
  params: Type.Object({ id: Id('sub') }),
  answers: { 200: Type.Object({ subscription: SubscriptionView }) },
  async handle({ ctx, params }) {
    const subscription = await readSubscription(ctx, params.id);
    if (!subscription) throw notFound('subscription');
    return ok({ subscription });
  },
});
