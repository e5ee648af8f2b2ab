import { createHash } from 'node:crypto';

import type { Context as KoaContext } from 'koa';

import type { Tenant } from '#src/domain/tenants/index.ts';
import type { Route } from './define-route.ts';
import type { Reply } from './reply.ts';
import { replyToError } from './reply-to-error.ts';

/** A reply ready to be sent to whoever asked for it: as text, which Node sends in one piece with its head. */
export interface RenderedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Only of what caches may keep. */
  readonly etag: string | undefined;
}

/** The tag covers the tenant too: two stores with equal answers never share one. */
export function renderReply(route: Route, tenant: Tenant, reply: Reply): RenderedReply {
  const isHtml = typeof reply.body === 'string';
  const body = isHtml ? reply.body : reply.body && JSON.stringify(reply.body);
  const isKept = route.caching === 'revalidate' && body !== undefined;
  return {
    status: reply.status,
    headers: {
      ...(body && { 'content-type': isHtml ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8' }),
      ...(!isKept && { 'cache-control': 'no-store' }),
      ...reply.headers,
    },
    body,
    etag: isKept ? createHash('sha256').update(`${tenant.slug}\n`).update(body).digest('base64url').slice(0, 27) : undefined,
  };
}

/** The reply to an error: one envelope, kept by nobody. */
export function renderError(error: unknown, requestId: string): RenderedReply {
  const { status, headers, body } = replyToError(error, requestId);
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
    etag: undefined,
  };
}

/** Send a reply, or 304 to a caller who has it already. What a key may see is not for shared caches. */
export function sendReply(koa: KoaContext, reply: RenderedReply, isPrivate: boolean): void {
  koa.set(reply.headers);
  koa.body = reply.body ?? null;
  koa.status = reply.status;
  if (reply.etag === undefined) return;
  koa.set('cache-control', `${isPrivate ? 'private' : 'public'}, max-age=0, must-revalidate`);
  koa.set('vary', 'x-tenant-slug, Authorization, Origin, Accept-Encoding');
  koa.etag = reply.etag;
  if (names(koa.get('if-none-match'), reply.etag)) {
    koa.body = null;
    koa.status = 304;
  }
}

/**
 * Whether an If-None-Match names this tag. Koa's `fresh` says no to requests with `Cache-Control: no-cache`, which
 * `fetch` adds to every one that has this header; they mean caches on the way, and we are none.
 */
function names(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`);
}
