import { presentEventTypes } from '#src/domain/webhooks/index.ts';
import type { OpenApiDocument, Parameter } from './document.ts';
import type { SchemaPool } from './schema-pool.ts';

const header = { in: 'header', required: true, schema: { type: 'string' } } as const;

/** The headers of a webhook, by the names under which the document has them. */
export const webhookHeaders: Readonly<Record<string, Parameter>> = {
  webhookId: {
    ...header,
    name: 'webhook-id',
    description: 'The id of the event. It is the same in every attempt, so that an event can be processed once.',
    example: 'evt_01m7xfs208fk1sctzyr3afnpz3',
  },
  webhookTimestamp: {
    ...header,
    name: 'webhook-timestamp',
    description: 'The time of this attempt, in seconds since 1970.',
    example: '1795176000',
  },
  webhookSignature: {
    ...header,
    name: 'webhook-signature',
    description:
      'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, with the body as it was received. ' +
      'While a secret is being rotated, there are several, separated by spaces: one for each secret.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

/** The events that the service sends, as their receivers get them. */
export function webhooksOf(schemas: SchemaPool): OpenApiDocument['webhooks'] {
  return Object.fromEntries(
    presentEventTypes().map(({ type, description, schema }) => [
      type,
      {
        post: {
          operationId: `on ${type}`.replaceAll(/[ ._](\w)/g, (_, initial: string) => initial.toUpperCase()),
          tags: ['webhooks'],
          summary: description,
          security: [],
          parameters: Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemas.refer(schema) } },
          },
          responses: {
            '2XX': {
              description: 'Received. After any other response it is sent again, up to 10 times in all.',
            },
          },
        },
      },
    ]),
  );
}
