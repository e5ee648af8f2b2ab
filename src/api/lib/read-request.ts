import type { RouterContext } from '@koa/router';

import { DomainError } from '#src/lib/errors.ts';
import type { TObject } from '#src/lib/schema.ts';
import { type Issue, issuesOf, issuesOfText } from '#src/lib/validation.ts';
import type { Route } from './define-route.ts';
import { HttpError, invalidRequest } from './http-error.ts';
import { isForm, parseForm, parseJson, readBytes } from './read-body.ts';

/** A request's body as it was sent: not yet held to its schema. */
export interface SentBody {
  readonly body: unknown;
  readonly rawBody: Buffer;
}

/** Read the body, at most once. Throws 413, 415 and 400 `invalid_json`. */
export function bodyReader(route: Route, koa: RouterContext): () => Promise<SentBody> {
  let sent: Promise<SentBody> | undefined;
  return () => (sent ??= readBody(route, koa));
}

async function readBody(route: Route, koa: RouterContext): Promise<SentBody> {
  if (!route.body && !route.rawBody) return { body: undefined, rawBody: Buffer.alloc(0) };
  const bytes = await readBytes(koa.req, route.bodyBytesMax);
  if (route.rawBody) return { body: undefined, rawBody: bytes };
  rejectCompressed(bytes, koa.get('content-encoding'));
  const contentType = koa.get('content-type');
  const isPlain = route.plainTextJson && /^(?:text\/plain\s*(?:;|$)|$)/i.test(contentType);
  const body =
    route.form && isForm(contentType)
      ? await parseForm(bytes, contentType)
      : parseJson(bytes, isPlain ? 'application/json' : contentType);
  return { body, rawBody: bytes };
}

/** Nobody unpacks a body here: it could be anything, of any size. */
function rejectCompressed(bytes: Buffer, encoding: string): void {
  if (bytes.length === 0 || encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new HttpError(415, 'unsupported_media_type', 'The body must come without a Content-Encoding.');
}

/** The parameters and the query in the types of their schemas. A malformed id in a path is 404, all else 400. */
export function checkRequest(route: Route, koa: RouterContext, body: unknown): { params: unknown; query: unknown } {
  const params =
    route.params &&
    checkText(
      route.params,
      { ...koa.params },
      () => new DomainError('not_found', 'not_found', 'There is no such thing.'),
    );
  const query = route.query && checkText(route.query, { ...koa.query }, (issues) => invalidRequest(issues, 'query'));
  const issues = route.body ? issuesOf(route.body, body) : [];
  if (issues.length > 0) throw invalidRequest(issues, 'body');
  return { params, query };
}

function checkText(
  schema: TObject,
  given: Record<string, unknown>,
  refuse: (issues: ReturnType<typeof issuesOfText>) => Error,
): unknown {
  const issues = [...nulsIn(given), ...issuesOfText(schema, given)];
  if (issues.length > 0) throw refuse(issues);
  return given;
}

/** An address can hold NUL, which PostgreSQL keeps in no text. */
function nulsIn(given: Record<string, unknown>): Issue[] {
  const holdsNul = (value: unknown) => [value].flat().some((text) => typeof text === 'string' && text.includes('\0'));
  return Object.keys(given)
    .filter((name) => holdsNul(given[name]))
    .map((name) => ({ path: `/${name}`, code: 'pattern', detail: 'must hold no NUL' }));
}
