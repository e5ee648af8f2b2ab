import { STATUS_CODES } from 'node:http';

import type { Route } from '#src/api/lib/define-route.ts';
import { documentedErrors, errorsOfAll } from '#src/api/lib/documented-errors.ts';
import { type ErrorCode, errorCodes, meaningOf } from '#src/api/lib/error-codes.ts';
import type { TSchema } from '#src/lib/schema.ts';
import { ErrorEnvelope, errorExamples, headerNamed } from './components.ts';
import type { Operation, Response } from './document.ts';
import type { SchemaPool } from './schema-pool.ts';

/** Every response of a route, by status; `x-errors` of the operation lists the codes of its errors. */
export function responsesOf(route: Route, schemas: SchemaPool): Operation['responses'] {
  const responses = Object.entries(route.responses).map(
    ([status, schema]) => [status, responseOf(route, status, schema, schemas)] as const,
  );
  const errors = documentedErrors(route)
    .filter((code) => !errorsOfAll.includes(code))
    .map((code) => {
      const { status } = errorCodes[code];
      return [status, { $ref: `#/components/responses/${nameOf(status)}` }] as const;
    });
  return {
    ...Object.fromEntries(responses),
    ...(route.caching === 'revalidate' && { 304: { $ref: '#/components/responses/NotModified' } }),
    ...Object.fromEntries(errors),
    default: { $ref: '#/components/responses/AnyError' },
  };
}

function responseOf(route: Route, status: string, schema: TSchema, schemas: SchemaPool): Response {
  return {
    description: STATUS_CODES[status] ?? 'Done',
    ...(route.caching === 'revalidate' && { headers: headerNamed('ETag') }),
    ...(hasBody(Number(status), schema) && {
      content: {
        [mediaTypeOf(schema)]: { schema: schemas.refer(schema) },
        ...(route.errorPage && { 'text/html': { schema: { type: 'string' } } }),
      },
    }),
  };
}

/** The responses that operations share: one for each status of an error that one of these routes has. */
export function sharedResponses(routes: readonly Route[], schemas: SchemaPool): Record<string, Response> {
  const codes = [...new Set(routes.flatMap((route) => documentedErrors(route)))];
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  const errors = [...byStatus]
    .filter(([, codes]) => codes.some((code) => !errorsOfAll.includes(code)))
    .toSorted(([left], [right]) => left - right)
    .map(([status, codes]) => [nameOf(status), errorResponse(status, codes.toSorted(), schemas)] as const);
  const unchanged = { description: 'The response that the caller has is unchanged.', headers: headerNamed('ETag') };
  return { NotModified: unchanged, ...Object.fromEntries(errors), AnyError: anyError(schemas) };
}

/** The error envelope with the codes of a status, and with their fields. */
function errorResponse(status: number, codes: readonly ErrorCode[], schemas: SchemaPool): Response {
  const fields = codes.flatMap((code) => Object.entries(meaningOf(code)?.extensions ?? {}));
  const waits = status === 409 || status === 429 || status === 503;
  return {
    description: STATUS_CODES[status] ?? '',
    headers: {
      ...headerNamed('X-Request-Id'),
      ...(status === 429 && headerNamed('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset')),
      ...(waits && headerNamed('Retry-After')),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [schemas.refer(ErrorEnvelope)],
          type: 'object',
          properties: {
            error: { enum: codes },
            ...Object.fromEntries(fields.map(([name, schema]) => [name, schemas.refer(schema)])),
          },
        },
        examples: Object.fromEntries(
          codes.flatMap((code) => (errorExamples[code] ? [[code, errorExamples[code]]] : [])),
        ),
      },
    },
  };
}

/** What every operation can return, whatever it is about. */
const anyError = (schemas: SchemaPool): Response => ({
  ...errorResponse(503, errorsOfAll, schemas),
  description: 'Any other error: 500 `internal_error`, or 503 `service_unavailable` with `Retry-After`.',
});

function hasBody(status: number, schema: TSchema): boolean {
  return status !== 204 && (status < 300 || status >= 400) && !('type' in schema && schema.type === 'null');
}

function mediaTypeOf(schema: TSchema): string {
  const isTyped = 'contentMediaType' in schema && typeof schema.contentMediaType === 'string';
  return isTyped ? String(schema.contentMediaType) : 'application/json';
}

/** `404` is `NotFound`. */
const nameOf = (status: number) => (STATUS_CODES[status] ?? String(status)).replaceAll(/\W/g, '');
