import { defineRoute, toProviders } from '#src/api/lib/define-route.ts';
import { HttpError } from '#src/api/lib/http-error.ts';
import { accepted } from '#src/api/lib/reply.ts';
import { isFromShippingProvider, receiveNotification, ShippingNotification } from '#src/domain/shipping/index.ts';
import { Type } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';

const bodyBytesMax = 512 * 1024;

/**
 * Where Shippo tells of parcels and labels. It signs nothing unless its support was asked to: the token in the address
 * is what the store and Shippo share, so what is said here is only a hint to go and look.
 */
export const receiveShippoWebhook = defineRoute({
  method: 'post',
  path: '/api/webhooks/shippo/:tenant_slug',
  tag: 'inbound',
  summary: 'Take a hint of the parcel provider: stored and promised before it is answered.',
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
      throw new HttpError(400, 'invalid_request', "The token or signature is not this store's.");
    }
    const hint = parse(rawBody);
    if (!fits(ShippingNotification, hint))
      throw new HttpError(400, 'invalid_request', 'The body is not an event that can be read.');
    return accepted({ ok: true, followed: await receiveNotification(ctx, hint) });
  },
});

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new HttpError(400, 'invalid_json', 'The body is not JSON.');
  }
}
