import type Stripe from 'stripe';

import type { PaymentGateway } from '#src/domain/ports/payment-gateway.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Caller } from './caller.ts';
import { handledEventTypes } from './events.ts';

type EndpointCalls = Pick<PaymentGateway, 'createEndpoint' | 'listEndpoints' | 'endEndpoint'>;

const ownNameField = 'platform_endpoint';

/** @param apiVersion of the events that are delivered, whatever the account's own version is */
export function endpointCalls(
  stripe: Stripe,
  call: Caller,
  apiVersion: Stripe.WebhookEndpointCreateParams['api_version'],
): EndpointCalls {
  type EventName = Stripe.WebhookEndpointCreateParams['enabled_events'][number];
  const isEventName = (name: string): name is EventName => handledEventTypes.includes(name);

  return {
    async createEndpoint(account, { url, ownName }, key, signal) {
      const made = await call({ account, operation: 'webhookEndpoints.create', key, signal }, (options) =>
        stripe.webhookEndpoints.create(
          {
            url,
            enabled_events: handledEventTypes.filter(isEventName),
            ...(apiVersion && { api_version: apiVersion }),
            metadata: { [ownNameField]: ownName },
          },
          options,
        ),
      );
      return { endpointId: made.id, secret: made.secret ?? '' };
    },

    async listEndpoints(account, signal) {
      const page = await call({ account, operation: 'webhookEndpoints.list', signal }, (options) =>
        stripe.webhookEndpoints.list({ limit: 100 }, options),
      );
      return page.data.map(({ id, url, metadata, status, enabled_events: enabledEvents, created }) => ({
        endpointId: id,
        url,
        ownName: metadata[ownNameField] ?? null,
        isEnabled: status === 'enabled',
        lacks: enabledEvents.includes('*') ? [] : handledEventTypes.filter((type) => !enabledEvents.includes(type)),
        createdAt: new Date(created * 1000),
      }));
    },

    async endEndpoint(account, id, how, signal) {
      try {
        await call(
          { account, operation: `webhookEndpoints.${how}`, signal },
          (options): Promise<unknown> =>
            how === 'delete'
              ? stripe.webhookEndpoints.del(id, {}, options)
              : stripe.webhookEndpoints.update(id, { disabled: true }, options),
        );
      } catch (error) {
        if (!(error instanceof ProviderError) || error.failure !== 'missing') throw error;
      }
    },
  };
}
