import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { RouterContext } from '@koa/router';

import { HttpError } from '#src/api/lib/http-error.ts';
import { includesTag } from '#src/api/lib/render-reply.ts';
import type { RequestRouter } from '#src/api/lib/request-router.ts';
import { html } from '#src/lib/html.ts';

/** What `npm run build` makes of src/console. */
const built = new URL('../../console/dist/', import.meta.url);

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };

/** The encodings that the build has beside each file, the smallest first. */
const encodings: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz', identity: '' };

/** The owner's console at /admin: a page, and the files that it loads. What it shows comes from the admin API. */
export function mountConsole(requestRouter: RequestRouter): void {
  requestRouter.serve('/admin', { get: sendPage });
  requestRouter.serve('/admin/assets/:name', { get: sendAsset });
}

/** The page refers to its files by their hashes, so it is never cached. */
function sendPage(koa: RouterContext): void {
  const file = new URL('index.html', built);
  const nonce = randomBytes(16).toString('base64url');
  koa.set({
    'content-security-policy': policyWith(nonce),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  koa.type = 'text/html; charset=utf-8';
  koa.body = existsSync(file) ? readFileSync(file, 'utf8').replaceAll('{nonce}', nonce) : notBuilt;
}

/** Allows the page's own files and styles with its nonce, pictures of products, and requests to this API alone. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' https: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Its name contains a hash of what is in it. */
function sendAsset(koa: RouterContext): void {
  const name = koa.params['name'] ?? '';
  const [, extension = ''] = /^[\w-]+\.(\w+)$/.exec(name) ?? [];
  const type = types[extension];
  const file = new URL(`assets/${name}`, built);
  if (!type || !existsSync(file)) throw new HttpError(404, 'not_found', 'Not found.');
  const encoding = Object.keys(encodings).find((encoding) => koa.acceptsEncodings(encoding)) ?? 'identity';
  const etag = `"${name}"`;
  koa.set({
    'cache-control': 'public, max-age=31536000, immutable',
    etag,
    vary: 'Accept-Encoding',
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  });
  koa.type = `${type}; charset=utf-8`;
  if (includesTag(koa.get('if-none-match'), etag)) koa.status = 304;
  else koa.body = readFileSync(`${fileURLToPath(file)}${encodings[encoding]}`);
}

const notBuilt = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Console</title>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code> in the folder of the service, and reload this page.</p>
</html>
`.text;
