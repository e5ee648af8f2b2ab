import { defineRoute } from '#src/api/lib/define-route.ts';
import { accepted, created, ok } from '#src/api/lib/reply.ts';
import type { Context } from '#src/domain/context.ts';
import {
  createEndpoint,
  disableEndpoint,
  EndpointInput,
  EndpointPatch,
  enableEndpoint,
  listEndpoints,
  presentEndpoint,
  presentEventTypes,
  readEndpoint,
  removeEndpoint,
  rotateSecret,
  sendTestEvent,
  updateEndpoint,
  WebhookEndpointView,
  WebhookEventTypeView,
} from '#src/domain/webhooks/index.ts';
import { found } from '#src/lib/errors.ts';
import { Done, Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

const Named = Type.Object({ id: Id('whe') });
const Secret = Type.String({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] });
const EndpointResponse = Type.Object({ webhook_endpoint: WebhookEndpointView });
const switching = {
  ...writing('webhooks'),
  verified: true,
  method: 'post',
  params: Named,
  responses: { 200: EndpointResponse },
} as const;

export const getEventTypes = defineRoute({
  ...reading('webhooks'),
  operationId: 'admin.listWebhookEventTypes',
  method: 'get',
  path: '/api/v1/admin/webhook-event-types',
  summary: 'List the event types, with the JSON Schema of each body and an example.',
  responses: { 200: Type.Object({ event_types: Type.Array(WebhookEventTypeView) }) },
  async handle() {
    return ok({ event_types: presentEventTypes() });
  },
});

export const getEndpoints = defineRoute({
  ...reading('webhooks'),
  operationId: 'admin.listWebhookEndpoints',
  method: 'get',
  path: '/api/v1/admin/webhook-endpoints',
  summary: 'List webhook endpoints, newest first.',
  query: Type.Object(PageQuery),
  responses: { 200: PageOf('webhook_endpoints', WebhookEndpointView) },
  async handle({ ctx, query }) {
    const page = await listEndpoints(ctx, query);
    return ok({ webhook_endpoints: page.rows.map((endpoint) => presentEndpoint(ctx, endpoint)), cursor: page.cursor });
  },
});

export const postEndpoint = defineRoute({
  ...writing('webhooks'),
  operationId: 'admin.createWebhookEndpoint',
  method: 'post',
  path: '/api/v1/admin/webhook-endpoints',
  verified: true,
  idempotent: 'resumable',
  summary: 'Create a webhook endpoint. Its signing secret is returned only here.',
  body: EndpointInput,
  responses: { 201: Type.Object({ webhook_endpoint: WebhookEndpointView, secret: Secret }) },
  async handle({ ctx, body }) {
    const { endpoint, secret } = await createEndpoint(ctx, body);
    return created({ webhook_endpoint: endpoint, secret });
  },
});

export const getEndpoint = defineRoute({
  ...reading('webhooks'),
  operationId: 'admin.getWebhookEndpoint',
  method: 'get',
  path: '/api/v1/admin/webhook-endpoints/:id',
  summary: 'Read a webhook endpoint.',
  params: Named,
  responses: { 200: EndpointResponse },
  async handle({ ctx, params }) {
    const endpoint = found(await readEndpoint(ctx, params.id), 'webhook endpoint');
    return ok({ webhook_endpoint: presentEndpoint(ctx, endpoint) });
  },
});

export const patchEndpoint = defineRoute({
  ...writing('webhooks'),
  operationId: 'admin.updateWebhookEndpoint',
  method: 'patch',
  path: '/api/v1/admin/webhook-endpoints/:id',
  verified: true,
  summary: 'Update a webhook endpoint. Omitted fields do not change.',
  params: Named,
  body: EndpointPatch,
  responses: { 200: EndpointResponse },
  async handle({ ctx, params, body }) {
    return ok({ webhook_endpoint: await updateEndpoint(ctx, { ...body, ...params }) });
  },
});

export const deleteEndpoint = defineRoute({
  ...writing('webhooks'),
  operationId: 'admin.deleteWebhookEndpoint',
  method: 'delete',
  path: '/api/v1/admin/webhook-endpoints/:id',
  verified: true,
  summary: 'Delete a webhook endpoint and its deliveries.',
  params: Named,
  responses: { 200: Done },
  async handle({ ctx, params }) {
    await removeEndpoint(ctx, params);
    return ok({ ok: true });
  },
});

export const postSecretRotation = defineRoute({
  ...writing('webhooks'),
  operationId: 'admin.rotateWebhookSecret',
  method: 'post',
  path: '/api/v1/admin/webhook-endpoints/:id/rotate-secret',
  idempotent: 'atomic',
  coalesced: true,
  verified: true,
  summary: 'Rotate the signing secret. The new one is returned only here. Up to five old ones sign for another day.',
  params: Named,
  errors: ['rate_limited'],
  responses: { 200: Type.Object({ secret: Secret }) },
  async handle({ ctx, params }) {
    return ok(await rotateSecret(ctx, params));
  },
});

/** The handler that both `switching` routes share. */
const switchEndpoint = async (ctx: Context, id: string, change: typeof enableEndpoint) =>
  ok({ webhook_endpoint: await change(ctx, { id }) });

export const postEnabling = defineRoute({
  ...switching,
  operationId: 'admin.enableWebhookEndpoint',
  path: '/api/v1/admin/webhook-endpoints/:id/enable',
  summary: 'Enable a webhook endpoint and reset its failures. What it missed can be recovered.',
  handle: ({ ctx, params }) => switchEndpoint(ctx, params.id, enableEndpoint),
});

export const postDisabling = defineRoute({
  ...switching,
  operationId: 'admin.disableWebhookEndpoint',
  path: '/api/v1/admin/webhook-endpoints/:id/disable',
  summary: 'Disable a webhook endpoint. Its pending deliveries are discarded and can be recovered.',
  handle: ({ ctx, params }) => switchEndpoint(ctx, params.id, disableEndpoint),
});

export const postTest = defineRoute({
  ...writing('webhooks'),
  operationId: 'admin.testWebhookEndpoint',
  method: 'post',
  path: '/api/v1/admin/webhook-endpoints/:id/test',
  summary: 'Send a webhook.test event to an endpoint.',
  params: Named,
  errors: ['invalid_request'],
  responses: { 202: Type.Object({ event_id: Id('evt') }) },
  async handle({ ctx, params }) {
    const { eventId } = await sendTestEvent(ctx, params);
    return accepted({ event_id: eventId });
  },
});
