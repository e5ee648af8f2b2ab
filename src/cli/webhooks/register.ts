import { registerWebhookEndpoint } from '#src/domain/payments/index.ts';
import { defineCommand } from '../lib/command.ts';
import { withStore } from '../lib/with-services.ts';

export const registerWebhookCommand = defineCommand({
  name: 'webhooks:register',
  summary: 'Register this service at Stripe to receive the events of a store.',
  parameters: { slug: 'The slug of the store.' },
  options: {
    replace: { type: 'boolean', description: 'Create a new endpoint with a new secret even if the current one works.' },
  },
  async run({ parameters: { slug }, options: { replace }, terminal }) {
    const { endpointId, url, isNew } = await withStore(terminal, slug, (ctx) =>
      registerWebhookEndpoint(ctx, { replace }),
    );
    return {
      data: { endpoint_id: endpointId, url, created: isNew },
      lines: [
        isNew
          ? `Stripe delivers to ${url} (${endpointId}). The new signing secret is stored; ` +
            'a previous one stays valid for a day.'
          : `Stripe delivers to ${url} already (${endpointId}).`,
      ],
    };
  },
});
