import { checkWebAddress } from '#src/domain/checks.ts';
import { EndpointEntry, listEndpoints, removeEndpoint, saveEndpoint } from '#src/domain/webhooks/index.ts';
import { many } from './section.ts';

const endpointsMax = 10_000;

/** The webhook endpoints, identified by their URLs. */
export const webhookEndpointsSection = many({
  name: 'webhook_endpoints',
  kind: 'webhook_endpoint',
  schema: EndpointEntry,
  keyOf: ({ url }) => url,
  keyField: 'url',
  check: ({ url }, settings) => checkWebAddress('/url', url, settings),
  async save({ ctx, note }, endpoint) {
    const change = await saveEndpoint(ctx, endpoint);
    if (change.action === 'created' && !endpoint.secret) {
      note(
        `The signing secret of the new ${change.subject} was not printed: rotate it with webhooks:rotate to get one.`,
      );
    }
    return change;
  },
  async prune({ ctx, report }, named) {
    for (const { id, url } of (await listEndpoints(ctx, { limit: endpointsMax })).rows) {
      if (named.has(url)) continue;
      // It writes its own line of the audit log.
      await removeEndpoint(ctx, { id });
      report({
        subject: `webhook endpoint ${new URL(url).origin}${new URL(url).pathname}`,
        action: 'removed',
        fields: [],
      });
    }
  },
});
