import { STATUS_CODES } from 'node:http';

import type { Route } from '#src/api/lib/define-route.ts';
import { documentedErrors } from '#src/api/lib/documented-errors.ts';
import { type ErrorCode, meaningOf } from '#src/api/lib/error-codes.ts';
import { limitOf } from '#src/api/lib/limits.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import type { TSchema } from '#src/lib/schema.ts';
import { ErrorEnvelope } from './components.ts';
import type { Operation, Response } from './document.ts';
import type { SchemaPool } from './schema-pool.ts';

/** Every response of a route, by status. */
export function responsesOf(route: Route, schemas: SchemaPool): Operation['responses'] {
  const responses = Object.entries(route.responses).map(
    ([status, schema]) => [status, responseOf(route, status, schema, schemas)] as const,
  );
  const unchanged = { description: 'The response that the caller has is unchanged.', headers: headersOf(route, 304) };
  const byStatus = Map.groupBy(documentedErrors(route), (code) => meaningOf(code)?.status ?? 500);
  const errors = [...byStatus].map(
    ([status, codes]) => [String(status), errorResponseOf(route, status, codes, schemas)] as const,
  );
  return {
    ...Object.fromEntries(responses),
    ...(route.caching === 'revalidate' && { 304: unchanged }),
    ...Object.fromEntries(errors),
  };
}

function responseOf(route: Route, status: string, schema: TSchema, schemas: SchemaPool): Response {
  return {
    description: STATUS_CODES[status] ?? 'Done',
    headers: headersOf(route, Number(status)),
    ...(hasBody(Number(status), schema) && {
      content: { [mediaTypeOf(schema)]: { schema: schemas.refer(schema), example: exampleOf(schema) } },
    }),
  };
}

/** The error envelope with the codes that this status can have here, and with their fields. */
function errorResponseOf(route: Route, status: number, codes: readonly ErrorCode[], schemas: SchemaPool): Response {
  const extensions = codes.flatMap((code) => Object.entries(meaningOf(code)?.extensions ?? {}));
  const properties = Object.fromEntries(extensions.map(([name, schema]) => [name, schemas.refer(schema)]));
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)?.message}`).join('\n\n'),
    headers: headersOf(route, status),
    content: {
      'application/json': {
        schema: {
          allOf: [schemas.refer(ErrorEnvelope)],
          type: 'object',
          properties: { error: { enum: codes }, ...properties },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function headersOf(route: Route, status: number): NonNullable<Response['headers']> {
  const isCounted = route.limit !== undefined && !limitOf(route.limit).perStore && status !== 401;
  const names = [
    'X-Request-Id',
    ...(route.caching === 'revalidate' && status < 400 ? ['ETag'] : []),
    ...(isCounted ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []),
    ...(status === 429 || status === 503 || (status === 409 && route.idempotent) ? ['Retry-After'] : []),
    ...(route.idempotent && status < 500 && ![401, 403, 429].includes(status) ? ['Idempotent-Replayed'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function hasBody(status: number, schema: TSchema): boolean {
  return status !== 204 && (status < 300 || status >= 400) && !('type' in schema && schema.type === 'null');
}

function mediaTypeOf(schema: TSchema): string {
  const isTyped = 'contentMediaType' in schema && typeof schema.contentMediaType === 'string';
  return isTyped ? String(schema.contentMediaType) : 'application/json';
}
