import { errorCodes } from '#src/api/lib/error-codes.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { type TSchema, Type } from '#src/lib/schema.ts';
import type { Parameter } from './document.ts';

/** The parts that operations refer to by name. */

export const securitySchemes = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of one store: `sk_…` for servers, `pk_…` for pages, `…_test_…` in the test environment.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The session of a customer, from `POST /api/v1/customer/magic-link/consume`. It lives 15 minutes.',
  },
};

const header = (description: string, schema: object, example: unknown) => ({ description, schema, example });
const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const exampleRequest = 'req_01m7xfs208fk1sctzyr3afnpz3';
const exampleTag = '"q1W2e3R4t5Y6u7I8o9P0a1S2d3F"';

export const headers = {
  'X-Request-Id': header("Names this request in our logs, and in an error's `request_id`.", text, exampleRequest),
  ETag: header('Names what was answered; sent back as `If-None-Match` it saves sending it again.', text, exampleTag),
  'RateLimit-Limit': header('How many requests the window admits.', count, 300),
  'RateLimit-Remaining': header('How many are left of them.', count, 299),
  'RateLimit-Reset': header('Seconds until the window is over.', count, 60),
  'Retry-After': header('Seconds to wait before asking again.', count, 12),
  'Idempotent-Replayed': header('`true` where this is the answer that an earlier try was given.', text, 'true'),
};

const tenant = {
  name: 'x-tenant-slug',
  in: 'header' as const,
  schema: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
  example: 'cedar-and-clay',
};

export const parameters: Readonly<Record<string, Parameter>> = {
  tenant: { ...tenant, required: true, description: 'The store.' },
  tenantUnlessKey: {
    ...tenant,
    required: false,
    description: 'The store. A key names it, too; where both are sent they must name the same.',
  },
  tenantUnlessInQuery: { ...tenant, required: false, description: 'The store, unless the query names it.' },
  tenantInQuery: {
    ...tenant,
    name: 'tenant',
    in: 'query',
    required: false,
    description: 'The store, for what can set no header.',
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Names this request, so that it can be sent again: for 24 hours the same key and body get the same answer.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '5f0c7d6e-2f6c-4b5e-9c0f-7d2b8f3a1e44',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of the answer that the caller has: 304 says that it still holds.',
    schema: { type: 'string' },
    example: exampleTag,
  },
  clientIp: {
    name: 'x-client-ip',
    in: 'header',
    required: false,
    description: "With a secret key: the address of the shopper for whom a storefront's server asks.",
    schema: { type: 'string' },
    example: '203.0.113.7',
  },
};

/** The one envelope of every error. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Enum(Object.keys(errorCodes), {
      description: 'What is wrong, for programs.',
      examples: ['invalid_request'],
    }),
    detail: Type.String({
      description: 'What is wrong, in a sentence for people.',
      examples: ['items must hold at least one line'],
    }),
    request_id: Type.String({ examples: [exampleRequest] }),
  },
  { title: 'Error' },
);

/** An example of each error, by its code. */
export const errorExamples = Object.fromEntries(
  Object.entries(errorCodes).map(([code, meaning]) => {
    const extensions: Readonly<Record<string, TSchema>> = 'extensions' in meaning ? meaning.extensions : {};
    const further = Object.entries(extensions).map(([name, schema]) => [name, exampleOf(schema)]);
    return [
      code,
      {
        summary: meaning.message,
        value: { error: code, detail: meaning.message, request_id: exampleRequest, ...Object.fromEntries(further) },
      },
    ];
  }),
);
