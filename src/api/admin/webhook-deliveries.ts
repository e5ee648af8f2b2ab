import { defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import {
  deliveryStates,
  listDeliveries,
  presentAttempt,
  presentDelivery,
  readDelivery,
  readDeliveryRequest,
  recoverDeliveries,
  redeliver,
  WebhookAttemptView,
  WebhookDeliveryView,
} from '#src/domain/webhooks/index.ts';
import { found } from '#src/lib/errors.ts';
import { Id, Nullable, Omittable, PageOf, PageQuery, Timestamp, Type, Url } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

const OfEndpoint = Type.Object({ id: Id('whe') });
const Named = Type.Object({ id: Id('whd') });

export const getDeliveries = defineRoute({
  ...reading('webhooks'),
  operationId: 'admin.listWebhookDeliveries',
  method: 'get',
  path: '/api/v1/admin/webhook-endpoints/:id/deliveries',
  summary: 'List the deliveries of a webhook endpoint, newest first.',
  description:
    'A page may be shorter than its limit, or empty, while its cursor is not null: deliveries of a type, delivered ones ' +
    'and those since a time are looked for among 500 at once.',
  params: OfEndpoint,
  query: Type.Object({
    state: Type.Optional(Type.Enum([...deliveryStates])),
    type: Type.Optional(WebhookDeliveryView.properties.type),
    since: Type.Optional(Timestamp),
    ...PageQuery,
  }),
  responses: { 200: PageOf('deliveries', WebhookDeliveryView) },
  async handle({ ctx, params, query: { since, limit = 20, ...query } }) {
    const page = await listDeliveries(ctx, {
      ...query,
      limit,
      endpointId: params.id,
      since: since === undefined ? undefined : new Date(since),
    });
    return ok({ deliveries: page.rows.map(presentDelivery), cursor: page.cursor });
  },
});

export const getDelivery = defineRoute({
  ...reading('webhooks'),
  operationId: 'admin.getWebhookDelivery',
  method: 'get',
  path: '/api/v1/admin/webhook-deliveries/:id',
  summary: 'Read a delivery: its attempts, their responses, and what it sends.',
  params: Named,
  responses: {
    200: Type.Object({
      delivery: WebhookDeliveryView,
      attempts: Type.Array(WebhookAttemptView),
      request: Nullable(
        Type.Object(
          { url: Url, headers: Type.Record(Type.String(), Type.String()), body: Type.String() },
          {
            description:
              'As it is sent now, without the signature; null when the object no longer exists. An earlier attempt ' +
              'sent the `object_version` that it names.',
          },
        ),
      ),
    }),
  },
  async handle({ ctx, params }) {
    const [stored, request = null] = await Promise.all([
      readDelivery(ctx, params.id),
      readDeliveryRequest(ctx, params.id),
    ]);
    const { delivery, attempts } = found(stored, 'webhook delivery');
    return ok({ delivery: presentDelivery(delivery), attempts: attempts.map(presentAttempt), request });
  },
});

export const postRedelivery = defineRoute({
  ...writing('webhooks'),
  operationId: 'admin.redeliverWebhook',
  method: 'post',
  path: '/api/v1/admin/webhook-deliveries/:id/redeliver',
  idempotent: 'atomic',
  coalesced: true,
  summary: 'Redeliver a webhook now, starting the retry schedule over.',
  params: Named,
  errors: ['invalid_request'],
  responses: { 202: Type.Object({ delivery: WebhookDeliveryView }) },
  async handle({ ctx, params }) {
    await redeliver(ctx, params);
    const { delivery } = found(await readDelivery(ctx, params.id), 'webhook delivery');
    return accepted({ delivery: presentDelivery(delivery) });
  },
});

export const postRecovery = defineRoute({
  ...writing('webhooks'),
  operationId: 'admin.recoverWebhookDeliveries',
  method: 'post',
  path: '/api/v1/admin/webhook-endpoints/:id/recover',
  idempotent: 'atomic',
  coalesced: true,
  summary: 'Redeliver what an endpoint missed in a time range: at most 50,000 per call.',
  params: OfEndpoint,
  body: Type.Object({
    since: Timestamp,
    until: Omittable(Timestamp),
    only: Omittable(
      Type.Enum(['failed', 'all'], {
        description: '`failed` (the default): failed and discarded deliveries. `all`: delivered ones too.',
      }),
    ),
  }),
  responses: { 202: Type.Object({ recovered: Type.Integer({ examples: [12] }) }) },
  async handle({ ctx, params, body: { since, until, only } }) {
    return accepted(
      await recoverDeliveries(ctx, {
        ...params,
        since: new Date(since),
        until: until ? new Date(until) : undefined,
        only: only ?? undefined,
      }),
    );
  },
});
