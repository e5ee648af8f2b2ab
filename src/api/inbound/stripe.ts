import { defineRoute, toProviders } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { acceptPaymentEvent } from '#src/domain/payments/index.ts';
import { Type } from '#src/lib/schema.ts';

const bodyBytesMax = 512 * 1024;

/**
 * Stripe waits up to ten seconds for this response before it sends a shopper back to the store, so an event is only
 * verified and stored with its job here; a worker reconciles it.
 */
export const receiveStripeWebhook = defineRoute({
  operationId: 'receiveStripeEvent',
  method: 'post',
  path: '/api/webhooks/stripe/:tenant_slug',
  tag: 'inbound',
  summary: 'Receive an event of the payment provider.',
  audience: toProviders,
  params: Type.Object({ tenant_slug: Type.String({ maxLength: 100 }) }),
  rawBody: true,
  bodyBytesMax,
  responses: { 200: Type.Object({ received: Type.Boolean() }) },
  async handle({ ctx, rawBody, header }) {
    await acceptPaymentEvent(ctx, { rawBody, signature: header('stripe-signature') });
    return ok({ received: true });
  },
});
