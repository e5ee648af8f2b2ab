import { changedMetadata } from '../api/check-metadata.ts';
import { invalid, missing } from '../api/error.ts';
import { list, type Operation, operation } from '../api/operation.ts';
import { type Account, apiVersion } from '../state/account.ts';
import type { MetadataChange, StripeEvent, WebhookEndpoint } from '../state/objects.ts';

const endpointsMax = 16;
const typesMax = 20;
const retainedSeconds = 30 * 86_400;

interface EndpointParams {
  readonly url?: string;
  readonly enabled_events?: string[];
  readonly api_version?: string;
  readonly description?: string | null;
  readonly disabled?: boolean;
  readonly metadata?: MetadataChange | null;
}

export const events: readonly Operation[] = [
  operation<{ types?: string[]; type?: string }>(
    'GET /v1/events',
    (call) => listEvents.run(call),
    ({ params: { type, types = [] } }) => {
      if (type && types.length > 0)
        throw invalid('You may only specify one of these parameters: type, types.', 'types');
      if (types.length > typesMax) throw invalid(`You can specify at most ${typesMax} types.`, 'types');
    },
  ),

  operation<EndpointParams>(
    'POST /v1/webhook_endpoints',
    ({ account, params }) => {
      if (account.webhookEndpoints.all().length >= endpointsMax) {
        throw invalid(`You have reached the maximum of ${endpointsMax} webhook endpoints.`);
      }
      const secret = `whsec_${account.mint('', 32)}`;
      // The secret is in this response only.
      return { ...addEndpoint(account, { url: params.url ?? '', secret, ...params }), secret };
    },
    ({ account, params }) => {
      checkUrl(account, params.url);
      if (params.enabled_events?.length === 0) throw missing('enabled_events');
    },
  ),
  operation<EndpointParams>(
    'POST /v1/webhook_endpoints/{id}',
    ({ account, id, params }) => {
      const endpoint = account.webhookEndpoints.need(id);
      const { disabled, url, enabled_events: types, description } = params;
      return Object.assign(endpoint, {
        ...(disabled !== undefined && { status: disabled ? 'disabled' : 'enabled' }),
        ...(url !== undefined && { url }),
        ...(types !== undefined && { enabled_events: types }),
        ...(description !== undefined && { description }),
        metadata: changedMetadata(endpoint.metadata, params.metadata),
      });
    },
    ({ account, params }) => {
      if (params.url !== undefined) checkUrl(account, params.url);
    },
  ),
  operation('DELETE /v1/webhook_endpoints/{id}', ({ account, id }) => {
    // Pending deliveries check the status before they retry.
    account.webhookEndpoints.need(id).status = 'disabled';
    account.webhookEndpoints.remove(id);
    return { id, object: 'webhook_endpoint', deleted: true };
  }),
  list('GET /v1/webhook_endpoints', (account) => account.webhookEndpoints),
];

/** Subscribe a URL to an account's events. */
export function addEndpoint(
  account: Account,
  params: EndpointParams & { url: string; secret: string },
): WebhookEndpoint {
  const endpoint: WebhookEndpoint = account.webhookEndpoints.add({
    id: account.mint('we'),
    object: 'webhook_endpoint',
    api_version: params.api_version ?? apiVersion,
    application: null,
    created: account.now,
    description: params.description ?? null,
    enabled_events: params.enabled_events ?? ['*'],
    livemode: account.livemode,
    metadata: changedMetadata({}, params.metadata),
    status: 'enabled',
    url: params.url,
  });
  account.endpointSecrets.set(endpoint, params.secret);
  return endpoint;
}

const listEvents = list<StripeEvent>(
  'GET /v1/events',
  (account) => account.events,
  {
    types: ({ type }, wanted) => Object(wanted).includes(type),
    type: ({ type }, wanted) => matchesType(type, String(wanted)),
    delivery_success: ({ pending_webhooks: pending }, wanted) => (pending === 0) === wanted,
  },
  ({ created }, _params, { now }) => created > now - retainedSeconds,
);

function matchesType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

function checkUrl(account: Account, address = ''): void {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalid('Invalid URL: Not a valid URL', 'url', 'url_invalid');
  if (account.livemode && url.protocol !== 'https:') {
    throw invalid('Invalid URL: In live mode the URL must begin with https.', 'url', 'url_invalid');
  }
}
