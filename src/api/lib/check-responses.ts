import { Readable } from 'node:stream';
import { closed, type TSchema, Type } from '#src/lib/schema.ts';
import { issuesOf } from '#src/lib/validation.ts';
import type { Route } from './define-route.ts';
import { documentedErrors } from './documented-errors.ts';
import { meaningOf } from './error-codes.ts';
import type { Reply } from './reply.ts';
import { type ErrorBody, replyToError } from './reply-to-error.ts';

/** Compares responses with their documentation. Enabled in tests only. */
export interface ResponseCheck {
  checkResponse(route: Route, reply: Reply): void;
  checkError(route: Route, error: unknown): void;
}

/** @param report receives a message for every difference between a response and its documentation */
export function createResponseCheck(report: ((drift: string) => void) | undefined): ResponseCheck {
  if (!report) return { checkResponse: () => undefined, checkError: () => undefined };
  return {
    checkResponse(route, reply) {
      const drift = driftOf(route, reply);
      if (drift) report(`${nameOf(route)} returns ${reply.status} ${drift}`);
    },
    checkError(route, error) {
      const { status, body } = replyToError(error, '');
      const drift = driftOfError(route, body);
      if (drift) report(`${nameOf(route)} rejects with ${status} ${body.error}, ${drift}`);
    },
  };
}

function driftOf(route: Route, { status, body }: Reply): string | undefined {
  const schema = route.responses[status];
  if (!schema) return 'which its `responses` do not list';
  if (typeof body === 'string') return route.errorPage ? undefined : 'as a page, which it does not declare';
  if (body === undefined || body instanceof Readable) return undefined;
  // An undocumented field of a response is a difference, too.
  const [issue] = issuesOf(closed(schema), JSON.parse(JSON.stringify(body)));
  return issue && `whose ${issue.path || 'body'} ${issue.detail}`;
}

/** `errors` is left out where no field of the request is at fault; the other fields of a code are always there. */
function driftOfError(route: Route, body: ErrorBody): string | undefined {
  if (!documentedErrors(route).some((code) => code === body.error)) return 'which its `errors` do not list';
  const [issue] = issuesOf(extensionsOf(body.error), body);
  return issue && `whose ${issue.path} ${issue.detail}`;
}

const extensionSchemas = new Map<string, TSchema>();

function extensionsOf(code: string): TSchema {
  const { errors: _, ...extensions } = meaningOf(code)?.extensions ?? {};
  const known = extensionSchemas.get(code) ?? Type.Object(extensions);
  extensionSchemas.set(code, known);
  return known;
}

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
