import { errorsOfCredential } from '#src/api/lib/documented-errors.ts';
import { errorCodes } from '#src/api/lib/error-codes.ts';
import { staffCookieName } from '#src/api/lib/staff-cookie.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { type TSchema, Type } from '#src/lib/schema.ts';
import type { Example, Parameter, Reference } from './document.ts';

/* The parts of the document that operations refer to by name. */

export const securitySchemes = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of one store: `sk_…` for servers, `pk_…` for pages, `…_test_…` in the test environment.',
    'x-errors': errorsOfCredential.key,
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The session of a customer, from `POST /api/v1/customer/magic-link/consume`. It is valid for 15 minutes.',
    'x-errors': errorsOfCredential.session,
  },
  staffSession: {
    type: 'apiKey',
    in: 'cookie',
    name: staffCookieName({ localMode: false }),
    description:
      'The session of a member of the staff, from `POST /api/v1/admin/sign-in/consume`: `staff_session` in local ' +
      'mode. The role of the member has to have the scope. A request that changes something has to come from a page ' +
      'of this service.',
    'x-errors': errorsOfCredential.staffSession,
  },
};

/** References to these headers, for a response. */
export const headerNamed = (...names: readonly (keyof typeof headers)[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const header = (description: string, schema: object, example: unknown) => ({ description, schema, example });
const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const exampleRequest = 'req_01m7xfs208fk1sctzyr3afnpz3';
const exampleTag = '"q1W2e3R4t5Y6u7I8o9P0a1S2d3F"';

export const headers = {
  'X-Request-Id': header(
    "The id of this request in our logs; the same as an error's `request_id`.",
    text,
    exampleRequest,
  ),
  ETag: header(
    'The version of the response. Send it as `If-None-Match` to get 304 while it is unchanged.',
    text,
    exampleTag,
  ),
  'RateLimit-Limit': header('The number of requests that the window allows.', count, 300),
  'RateLimit-Remaining': header('The number of requests left in the window.', count, 299),
  'RateLimit-Reset': header('Seconds until the window ends.', count, 60),
  'Retry-After': header('Seconds to wait before retrying.', count, 12),
};

const tenant = {
  name: 'x-tenant-slug',
  in: 'header' as const,
  schema: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
  example: 'cedar-and-clay',
};

export const parameters: Readonly<Record<string, Parameter>> = {
  tenant: { ...tenant, required: true, description: 'The slug of the store.' },
  tenantUnlessKey: {
    ...tenant,
    required: false,
    description: 'The slug of the store. Not needed with a key; if both are sent, they must refer to the same store.',
  },
  tenantUnlessInQuery: {
    ...tenant,
    required: false,
    description: 'The slug of the store, unless the query contains it.',
  },
  tenantInQuery: {
    ...tenant,
    name: 'tenant',
    in: 'query',
    required: false,
    description: 'The slug of the store, for callers that cannot set headers.',
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Identifies this request so that it can be retried: for 24 hours the same key and body get the same response. ' +
      'Those who send the same API key, or none, share them: send a new random one, such as a UUID, for each action.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '5f0c7d6e-2f6c-4b5e-9c0f-7d2b8f3a1e44',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of the response that the caller has. 304 means that it is unchanged.',
    schema: { type: 'string' },
    example: exampleTag,
  },
  clientIp: {
    name: 'x-client-ip',
    in: 'header',
    required: false,
    description: 'With a secret key: the IP address of the shopper on whose behalf a server sends this request.',
    schema: { type: 'string' },
    example: '203.0.113.7',
  },
};

/** The one envelope of every error. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Enum(Object.keys(errorCodes), {
      description: 'The error code, for programs.',
      examples: ['invalid_request'],
    }),
    detail: Type.String({
      description: 'The error message, for people.',
      examples: ['items must have at least one item'],
    }),
    request_id: Type.String({ examples: [exampleRequest] }),
  },
  { title: 'Error' },
);

/** An example of each error, by its code. */
export const errorExamples: Readonly<Record<string, Example>> = Object.fromEntries(
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
