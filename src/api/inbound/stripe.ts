import { defineRoute, toProviders } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { acceptPaymentEvent } from '#src/domain/payments/index.ts';
import { Type } from '#src/lib/schema.ts';

const bodyBytesMax = 512 * 1024;

/**
 * Where Stripe tells what happened. It waits ten seconds for the answer before it sends a shopper back, so an event is
 * verified, stored and promised to be looked into, and answered; the looking is a worker's.
 */
export const receiveStripeWebhook = defineRoute({
  method: 'post',
  path: '/api/webhooks/stripe/:tenant_slug',
  tag: 'inbound',
  summary: 'Take in an event of the payment provider: verified, stored and promised before it is answered.',
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
