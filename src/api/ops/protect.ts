import type { Context as KoaContext, Middleware } from 'koa';

import { HttpError } from '#src/api/lib/http-error.ts';
import type { Services } from '#src/services.ts';
import type { CheckSecret } from './check-secret.ts';

/** The router ignores case, so this does, too. */
const opsPath = /^\/ops(\/|$)/i;

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Ops pages run no script except the board's, and cannot be framed. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; " +
    "form-action 'self'",
  'referrer-policy': 'same-origin',
};

/**
 * Guards everything under /ops: requires the operator's name and password if they are set, which only local mode may
 * omit, and rejects changes that a page of another origin requests.
 */
export function protectOps(services: Services, checkSecret: CheckSecret): Middleware {
  return async (koa, next) => {
    if (!opsPath.test(koa.path)) return next();
    await requireOperator(services, checkSecret, koa);
    if (!safeMethods.has(koa.method)) rejectForeignPages(services, koa);
    koa.set(headers);
    await next();
  };
}

async function requireOperator({ config }: Services, checkSecret: CheckSecret, koa: KoaContext): Promise<void> {
  const { ops, settings } = config;
  if (!ops) {
    // A page elsewhere could have its own host name resolve to this machine, so only this machine's names are accepted.
    if (settings.localMode && isLoopback(koa.hostname)) return;
    throw new HttpError(403, 'origin_not_allowed', 'Without a password, /ops is available on this machine only.');
  }
  if (await checkSecret(koa, basicLogin(ops))) return;
  throw new HttpError(
    401,
    koa.get('authorization') ? 'invalid_key' : 'missing_key',
    'User name and password are required.',
    { 'www-authenticate': 'Basic realm="operations", charset="UTF-8"' },
  );
}

/** The Authorization header of this user. */
export function basicLogin({ user, password }: { user: string; password: string }): string {
  return `basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Browsers send the origin of a change. A client that sends none is not a browser and adds no login by itself. */
function rejectForeignPages({ config }: Services, koa: KoaContext): void {
  const origin = koa.get('origin');
  const site = koa.get('sec-fetch-site');
  const isOwn = origin === '' || hostOf(origin) === koa.host || origin === new URL(config.settings.publicUrl).origin;
  if (isOwn && site !== 'cross-site') return;
  throw new HttpError(403, 'origin_not_allowed', 'Changes are accepted from these pages only.');
}

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined);

const isLoopback = (hostname: string) => ['127.0.0.1', 'localhost', '[::1]', '::1'].includes(hostname);
