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
  removeEndpoint,
  rotateSecret,
  sendTestEvent,
  updateEndpoint,
  type WebhookEndpointView,
} from '#src/domain/webhooks/index.ts';
import { columns, table } from '../lib/columns.ts';
import { type Command, defineCommand, type Options } from '../lib/command.ts';
import { readInput, readList, readNumber } from '../lib/read-option.ts';
import { withStore } from '../lib/with-services.ts';

const endpointsMax = 1000;
const named = { slug: 'The slug of the store.', endpoint: 'The id of the endpoint: whe_…' };

const fields = {
  events: {
    type: 'string',
    value: 'a,b,c',
    description: 'The event types to subscribe to: order.paid, subscription.* …',
  },
  concurrency: {
    type: 'string',
    value: 'n',
    description: 'Maximum number of concurrent requests. A new endpoint has 4.',
  },
  'rate-per-second': {
    type: 'string',
    value: 'n',
    description: 'Maximum number of requests per second. A new endpoint has no limit.',
  },
} as const satisfies Options;

export const listEndpointsCommand = defineCommand({
  name: 'webhooks:list',
  summary: 'List the webhook endpoints to which a store sends its events, with their state.',
  parameters: { slug: 'The slug of the store.' },
  async run({ parameters, terminal }) {
    const endpoints = await withStore(terminal, parameters.slug, async (ctx) => {
      const { rows } = await listEndpoints(ctx, { limit: endpointsMax });
      return rows.map((endpoint) => presentEndpoint(ctx, endpoint));
    });
    const cells = endpoints.map((endpoint) => [
      endpoint.id,
      stateOf(endpoint),
      endpoint.url,
      endpoint.events.join(','),
    ]);
    return {
      data: { webhook_endpoints: endpoints },
      lines: table(['ENDPOINT', 'STATE', 'URL', 'EVENTS'], cells, 'The store has no webhook endpoints.'),
    };
  },
});

export const createEndpointCommand = defineCommand({
  name: 'webhooks:create',
  summary: 'Create a webhook endpoint. Its signing secret is printed only once.',
  parameters: { slug: 'The slug of the store.', url: 'The https URL to deliver to.' },
  options: { ...fields, events: { ...fields.events, description: `Required. ${fields.events.description}` } },
  async run({ parameters, options, terminal }) {
    const input = readInput('webhooks:create', EndpointInput, given({ ...options, url: parameters.url }), parameters);
    const { endpoint, secret } = await withStore(terminal, parameters.slug, (ctx) => createEndpoint(ctx, input));
    return {
      data: { webhook_endpoint: endpoint, secret },
      lines: [secret, `This is the secret of ${endpoint.id}. It is not shown again.`],
    };
  },
});

export const updateEndpointCommand = defineCommand({
  name: 'webhooks:update',
  summary: 'Update a webhook endpoint. Omitted options stay unchanged.',
  parameters: named,
  options: { url: { type: 'string', value: 'url', description: 'The https URL to deliver to.' }, ...fields },
  async run({ parameters: { slug, endpoint: id }, options, terminal }) {
    const patch = readInput('webhooks:update', EndpointPatch, given(options));
    const endpoint = await withStore(terminal, slug, (ctx) => updateEndpoint(ctx, { ...patch, id }));
    const message = `${id} receives ${endpoint.events.join(', ')} at ${endpoint.url}.`;
    return { data: { webhook_endpoint: endpoint }, lines: [message] };
  },
});

export const enableEndpointCommand = switching({
  name: 'webhooks:enable',
  summary: 'Enable a webhook endpoint and reset its failure count.',
  change: enableEndpoint,
  message: (id) => `${id} is enabled. Resend what it missed with webhooks:recover.`,
});

export const disableEndpointCommand = switching({
  name: 'webhooks:disable',
  summary: 'Disable a webhook endpoint. Its pending deliveries are discarded and can be recovered.',
  change: disableEndpoint,
  message: (id) => `${id} is disabled.`,
});

export const removeEndpointCommand = defineCommand({
  name: 'webhooks:remove',
  summary: 'Delete a webhook endpoint and its deliveries.',
  parameters: named,
  async run({ parameters: { slug, endpoint: id }, terminal }) {
    await withStore(terminal, slug, (ctx) => removeEndpoint(ctx, { id }));
    return { data: { id, removed: true }, lines: [`${id} is deleted.`] };
  },
});

export const rotateEndpointCommand = defineCommand({
  name: 'webhooks:rotate',
  summary: 'Rotate the signing secret. The new one is printed only once; the old one also signs for a day.',
  parameters: named,
  async run({ parameters: { slug, endpoint: id }, terminal }) {
    const { secret } = await withStore(terminal, slug, (ctx) => rotateSecret(ctx, { id }));
    return { data: { id, secret }, lines: [secret, `This is the new secret of ${id}. It is not shown again.`] };
  },
});

export const testEndpointCommand = defineCommand({
  name: 'webhooks:test',
  summary: 'Send a webhook.test event to an endpoint, whatever its subscriptions.',
  parameters: named,
  async run({ parameters: { slug, endpoint: id }, terminal }) {
    const { eventId } = await withStore(terminal, slug, (ctx) => sendTestEvent(ctx, { id }));
    return { data: { id, event_id: eventId }, lines: [`${eventId} is being sent to ${id}: see webhooks:deliveries.`] };
  },
});

export const listEventTypesCommand = defineCommand({
  name: 'webhooks:events',
  summary: 'List the event types. --json prints schemas and examples.',
  async run() {
    const types = presentEventTypes();
    return { data: { event_types: types }, lines: columns(types.map(({ type, description }) => [type, description])) };
  },
});

function switching({
  name,
  summary,
  change,
  message,
}: {
  name: string;
  summary: string;
  change(ctx: Context, input: { id: string }): Promise<WebhookEndpointView>;
  message(id: string): string;
}): Command {
  return defineCommand({
    name,
    summary,
    parameters: named,
    async run({ parameters: { slug, endpoint: id }, terminal }) {
      const endpoint = await withStore(terminal, slug, (ctx) => change(ctx, { id }));
      return { data: { webhook_endpoint: endpoint }, lines: [message(id)] };
    },
  });
}

/** What was written, by the names of the schemas, and nothing of what was not. */
function given({
  url,
  events,
  concurrency,
  'rate-per-second': rate,
}: {
  url?: string | undefined;
  events: string | undefined;
  concurrency: string | undefined;
  'rate-per-second': string | undefined;
}): object {
  const all = {
    url,
    events: readList(events),
    concurrency: readNumber(concurrency),
    rate_per_second: readNumber(rate),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function stateOf({ status, disabled_reason: reason, failing_since: failing }: WebhookEndpointView): string {
  if (status === 'disabled') return `off (${reason})`;
  return failing ? `failing since ${failing}` : 'on';
}
