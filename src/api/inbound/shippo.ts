import { defineRoute, toProviders } from '#src/api/lib/define-route.ts';
import { HttpError } from '#src/api/lib/http-error.ts';
import { accepted } from '#src/api/lib/reply.ts';
import { isFromShippingProvider, receiveNotification, ShippingNotification } from '#src/domain/shipping/index.ts';
import { Type } from '#src/lib/schema.ts';
import { holdsUnwritable } from '#src/lib/unwritable.ts';
import { fits } from '#src/lib/validation.ts';

const bodyBytesMax = 512 * 1024;

/**
 * Shippo's webhooks about parcels and labels. Shippo signs them only if its support enabled signatures, so the token in
 * the URL is the usual proof, and the body only says which object to fetch.
 */
export const receiveShippoWebhook = defineRoute({
  operationId: 'receiveShippoEvent',
  method: 'post',
  path: '/api/webhooks/shippo/:tenant_slug',
  tag: 'inbound',
  summary: 'Receive a webhook of the shipping provider. It is stored and its job enqueued before the response.',
  audience: toProviders,
  params: Type.Object({ tenant_slug: Type.String({ maxLength: 100 }) }),
  query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) }),
  rawBody: true,
  bodyBytesMax,
  errors: ['invalid_json'],
  responses: { 202: Type.Object({ ok: Type.Boolean(), followed: Type.Boolean() }) },
  async handle({ ctx, query, rawBody, header }) {
    if (
      !(await isFromShippingProvider(ctx, {
        token: query.token ?? '',
        signature: header('shippo-auth-signature'),
        rawBody,
      }))
    ) {
      ctx.log.warn({ provider: 'shippo' }, 'inbound webhook with a wrong token or signature');
      throw new HttpError(400, 'invalid_request', 'The token or signature is invalid.');
    }
    const notification = parse(rawBody);
    if (!fits(ShippingNotification, notification) || holdsUnwritable(storedOf(notification)))
      throw new HttpError(400, 'invalid_request', 'The body is not a valid event.');
    return accepted({ ok: true, followed: await receiveNotification(ctx, notification) });
  },
});

/** What is stored of it. */
const storedOf = ({ event, data }: ShippingNotification) => [event, data.object_id, data.tracking_number, data.carrier];

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new HttpError(400, 'invalid_json', 'The body is not valid JSON.');
  }
}
