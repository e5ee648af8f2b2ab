import type { Context as KoaContext } from 'koa';

import type { Context } from '#src/domain/context.ts';
import { isDeveloperUrl } from '#src/domain/return-url.ts';
import { DomainError } from '#src/lib/errors.ts';

const allowedHeaders = 'authorization, content-type, x-tenant-slug, idempotency-key, if-none-match';
const exposedHeaders = [
  'etag',
  'retry-after',
  'x-request-id',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'idempotent-replayed',
].join(', ');

/** A preflight has no tenant, so it allows any origin: the request itself is checked. */
export function respondPreflight(koa: KoaContext, allow: string): void {
  koa.status = 204;
  koa.set({
    allow,
    'access-control-allow-origin': koa.get('origin') || '*',
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '86400',
    vary: 'Origin',
  });
}

/**
 * Let pages of the store's origins read the response, and in the test environment pages of a developer's machine, to
 * which shoppers may return, and of this service, too. Requests from any other origin are rejected.
 */
export function setAllowedOrigin(koa: KoaContext, { tenant, settings }: Pick<Context, 'tenant' | 'settings'>): void {
  const origin = koa.get('origin');
  if (origin === '') return;
  const isAllowed = tenant.allowedOrigins.includes('*') || tenant.allowedOrigins.includes(origin);
  if (!isAllowed && !isDeveloperUrl({ settings }, origin) && !isOwnPage(settings, origin)) {
    throw new DomainError('forbidden', 'origin_not_allowed', 'This store does not allow requests from this origin.');
  }
  allowOrigin(koa, origin);
}

/** `/docs` sends requests with test keys. */
function isOwnPage({ appMode, publicUrl }: Context['settings'], origin: string): boolean {
  return appMode === 'test' && origin === new URL(publicUrl).origin;
}

/**
 * Reject what a page of another origin sends with the cookie of staff, or in order to set it: a browser adds cookies by
 * itself, and pages on other hosts of the domain count as the same site.
 *
 * @param options `mustNameOrigin`: a request that changes something has to carry `Origin`, as browsers do
 */
export function rejectForeignPage(
  koa: KoaContext,
  { publicUrl, localMode }: Context['settings'],
  { mustNameOrigin }: { mustNameOrigin: boolean },
): void {
  const [origin, site] = [koa.get('origin'), koa.get('sec-fetch-site')];
  const changesNothing = koa.method === 'GET' || koa.method === 'HEAD';
  const isOwn =
    origin === ''
      ? changesNothing || !mustNameOrigin
      : origin === new URL(publicUrl).origin || (localMode && origin === `http://${koa.host}`);
  const isSameOrigin = site === '' || site === 'same-origin' || (site === 'none' && changesNothing);
  if (isOwn && isSameOrigin) return;
  throw new DomainError('forbidden', 'origin_not_allowed', 'Only pages of this service may send this request.');
}

/** Also for errors that come before the tenant is known: a page should see what it did wrong. */
export function allowOrigin(koa: KoaContext, origin: string): void {
  koa.vary('Origin');
  koa.set('access-control-allow-origin', origin);
  koa.set('access-control-expose-headers', exposedHeaders);
}
