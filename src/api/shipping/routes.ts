import { defineRoute, toPublic } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { quoteRates, RateQuote, RateRequest } from '#src/domain/shipping/index.ts';

/** Live rates of the store's own carriers, cached for ten minutes for equal parcels. */
export const postShippingRates = defineRoute({
  operationId: 'quoteShippingRates',
  method: 'post',
  path: '/api/v1/shipping/rates',
  tag: 'shipping',
  summary: 'Quote live shipping rates for a destination and a weight.',
  audience: toPublic,
  body: RateRequest,
  limit: 'rates',
  errors: ['shipping_provider_unavailable'],
  responses: { 200: RateQuote },
  async handle({ ctx, body }) {
    return ok(await quoteRates(ctx, body));
  },
});
