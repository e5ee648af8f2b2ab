import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import type { Context as KoaContext } from 'koa';

import type { Tenant } from '#src/domain/tenants/index.ts';
import type { Visitor } from './authenticate.ts';
import type { Route } from './define-route.ts';
import type { Reply } from './reply.ts';
import { replyToError } from './reply-to-error.ts';

/** A reply that is ready to be sent. */
export interface RenderedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | undefined;
  /** Only for cacheable replies. */
  readonly etag: string | undefined;
}

/** A rendered reply that is sent many times. */
export interface CachedReply extends Omit<RenderedReply, 'body'> {
  /** The body in UTF-8, with one character per byte: it is encoded once, and sent in one write with its headers. */
  readonly bytes: string;
}

/** A reply for this caller. A response to a key must not be stored by shared caches. */
export function renderReply(route: Route, { tenant, key }: Visitor, reply: Reply): RenderedReply {
  if (reply.body instanceof Readable) return renderStream(reply, reply.body);
  const isHtml = typeof reply.body === 'string';
  const text = isHtml ? reply.body : reply.body && JSON.stringify(reply.body);
  const etag = route.caching === 'revalidate' && text !== undefined ? tagOf(tenant, text) : undefined;
  return {
    status: reply.status,
    headers: {
      ...(text && { 'content-type': isHtml ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8' }),
      ...(etag ? revalidatedHeaders(etag, key !== undefined) : { 'cache-control': 'no-store' }),
      ...reply.headers,
    },
    body: text,
    etag,
  };
}

function renderStream({ status, headers }: Reply, body: Readable): RenderedReply {
  return { status, headers: { 'cache-control': 'no-store', ...headers }, body, etag: undefined };
}

/** The tag includes the tenant: two stores with equal responses never share one. */
function tagOf(tenant: Tenant, text: string): string {
  return `"${createHash('sha256').update(`${tenant.slug}\n`).update(text).digest('base64url').slice(0, 27)}"`;
}

/** The headers of a response that caches may store and must revalidate each time. */
export function revalidatedHeaders(etag: string, isPrivate: boolean): Record<string, string> {
  return {
    'cache-control': `${isPrivate ? 'private' : 'public'}, max-age=0, must-revalidate`,
    vary: 'x-tenant-slug, Authorization, Origin, Accept-Encoding',
    etag,
  };
}

/** The reply to an error: the error envelope, or the page that the route has in its place. Never cached. */
export function renderError(
  error: unknown,
  requestId: string,
  errorPage?: Route['errorPage'],
): RenderedReply & { readonly body: string } {
  const { status, headers, body } = replyToError(error, requestId);
  const page = errorPage?.(body);
  return {
    status,
    headers: {
      'content-type': `${page ? 'text/html' : 'application/json'}; charset=utf-8`,
      'cache-control': 'no-store',
      ...headers,
      ...page?.headers,
    },
    body: page ? page.html : JSON.stringify(body),
    etag: undefined,
  };
}

/** Send a reply, or 304 to a caller who has it already. */
export function sendReply(koa: KoaContext, reply: RenderedReply): void {
  koa.set(reply.headers);
  if (reply.etag !== undefined && includesTag(koa.get('if-none-match'), reply.etag)) {
    koa.status = 304;
    return;
  }
  koa.body = reply.body ?? null;
  koa.status = reply.status;
}

export function cachedFrom({ body, ...reply }: RenderedReply): CachedReply {
  const text = typeof body === 'string' ? body : '';
  return { ...reply, bytes: Buffer.from(text).toString('latin1') };
}

/** Send a cached reply at once and without Koa, which would process every part of it again. */
export function sendCached(koa: KoaContext, { status, headers, bytes, etag }: CachedReply): void {
  koa.respond = false;
  const own = { ...headers, 'x-request-id': String(koa.state['requestId']) };
  if (etag !== undefined && includesTag(koa.get('if-none-match'), etag)) koa.res.writeHead(304, own).end();
  else koa.res.writeHead(status, { ...own, 'content-length': bytes.length }).end(bytes, 'latin1');
}

/**
 * Whether an If-None-Match contains this tag or `*`. Koa's `fresh` returns false for requests with `Cache-Control:
 * no-cache`, which `fetch` adds to every request with this header; it is meant for caches on the way.
 */
export function includesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === '' || ifNoneMatch === '*') return ifNoneMatch === '*';
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
