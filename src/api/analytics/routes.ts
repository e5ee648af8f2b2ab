import { defineRoute, toPublicByQuery } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { EventsInput, EventsReceipt, ingestEvents } from '#src/domain/analytics/index.ts';

const bodyBytesMax = 512 * 1024;

/**
 * `navigator.sendBeacon`, which pages use while they are being left, sets no headers: hence `?tenant=` and text/plain.
 */
export const postEvents = defineRoute({
  operationId: 'sendAnalyticsEvents',
  method: 'post',
  path: '/api/v1/analytics/events',
  tag: 'analytics',
  summary: 'Send a batch of storefront events. Invalid events are listed in the response.',
  audience: toPublicByQuery,
  body: EventsInput,
  plainTextJson: true,
  checksText: true,
  bodyBytesMax,
  limit: 'analytics',
  errors: ['too_many_items'],
  responses: { 200: EventsReceipt },
  async handle({ ctx, caller, body, rawBody, header }) {
    const sender = { clientIp: caller.clientIp, userAgent: header('user-agent') };
    return ok(await ingestEvents(ctx, { input: body, rawBody, sender }));
  },
});
