import { defineRoute, toBearer } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import {
  deliveryStates, listDeliveries, presentAttempt, presentDelivery, readDelivery, recoverDeliveries, redeliver,
  WebhookAttemptView, WebhookDeliveryView,
} from '#src/domain/webhooks/index.ts';
import { notFound } from '#src/lib/errors.ts';
import { Id, Nullable, Omittable, PageQuery, Timestamp, Type } from '#src/lib/schema.ts';

const reading = { tag: 'admin', audience: toBearer('admin:read') } as const;
const writing = { tag: 'admin', audience: toBearer('admin:write') } as const;
const OfEndpoint = Type.Object({ id: Id('whe') });
const Named = Type.Object({ id: Id('whd') });

export const getDeliveries = defineRoute({
  ...reading,
  method: 'get',
  path: '/api/v1/admin/webhook-endpoints/:id/deliveries',
  summary: 'List the deliveries of an endpoint, the newest first.',
  params: OfEndpoint,
  query: Type.Object({
    state: Type.Optional(Type.Enum([...deliveryStates])),
    type: Type.Optional(WebhookDeliveryView.properties.type),
    since: Type.Optional(Timestamp),
    ...PageQuery,
  }),
  answers: { 200: Type.Object({ deliveries: Type.Array(WebhookDeliveryView), cursor: Nullable(Type.String()) }) },
  async handle({ ctx, params, query: { since, limit = 20, ...query } }) {
    const page = await listDeliveries(ctx, {
      ...query, limit, endpointId: params.id, since: since === undefined ? undefined : new Date(since),
    });
    return ok({ deliveries: page.rows.map(presentDelivery), cursor: page.cursor });
  },
});

export const getDelivery = defineRoute({
  ...reading,
  method: 'get',
  path: '/api/v1/admin/webhook-deliveries/:id',
  summary: 'Read a delivery with all its attempts and what they were answered.',
  params: Named,
  answers: { 200: Type.Object({ delivery: WebhookDeliveryView, attempts: Type.Array(WebhookAttemptView) }) },
  async handle({ ctx, params }) {
    const found = await readDelivery(ctx, params.id);
    if (!found) throw notFound('webhook delivery');
    return ok({ delivery: presentDelivery(found.delivery), attempts: found.attempts.map(presentAttempt) });
  },
});

export const postRedelivery = defineRoute({
  ...writing,
  method: 'post',
  path: '/api/v1/admin/webhook-deliveries/:id/redeliver',
  summary: 'Send a delivery again, at once and with a new round through the schedule.',
  params: Named,
  errors: ['invalid_request'],
  answers: { 202: Type.Object({ delivery: WebhookDeliveryView }) },
  async handle({ ctx, params }) {
    await redeliver(ctx, params);
    const found = await readDelivery(ctx, params.id);
    if (!found) throw notFound('webhook delivery');
    return accepted({ delivery: presentDelivery(found.delivery) });
  },
});

export const postRecovery = defineRoute({
  ...writing,
  method: 'post',
  path: '/api/v1/admin/webhook-endpoints/:id/recover',
  summary: 'Send an endpoint again what it missed since then. One call takes 50,000 deliveries at most.',
  params: OfEndpoint,
  body: Type.Object({
    since: Timestamp,
    until: Omittable(Timestamp),
    only: Omittable(Type.Enum(['failed', 'all'], {
      description: '`failed` (the default): what failed or was put aside. `all`: also what was delivered.',
    })),
  }),
  answers: { 202: Type.Object({ recovered: Type.Integer({ examples: [12] }) }) },
  async handle({ ctx, params, body: { since, until, only } }) {
    return accepted(await recoverDeliveries(ctx, {
      ...params, since: new Date(since), until: until ? new Date(until) : undefined, only: only ?? undefined,
    }));
  },
});
