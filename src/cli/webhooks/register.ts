import { registerWebhookEndpoint } from '#src/domain/payments/index.ts';
import { defineCommand } from '../lib/command.ts';
import { withStore } from '../lib/with-services.ts';

export const registerWebhookCommand = defineCommand({
  name: 'webhooks:register',
  summary: 'Let Stripe deliver its events to a store: only those that the shop acts on.',
  parameters: { slug: 'The store.' },
  options: {
    replace: { type: 'boolean', description: 'Make a new endpoint with a new secret, also where all is well.' },
  },
  async run({ parameters: { slug }, options: { replace }, terminal }) {
    const { endpointId, url, isNew } = await withStore(terminal, slug, (ctx) =>
      registerWebhookEndpoint(ctx, { replace }),
    );
    return {
      data: { endpoint_id: endpointId, url, created: isNew },
      lines: [
        isNew
          ? `Stripe delivers to ${url} (${endpointId}). Its secret is stored, and the one before is good for another day.`
          : `Stripe delivers to ${url} already (${endpointId}).`,
      ],
    };
  },
});
