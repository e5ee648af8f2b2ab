import type { Route } from '#src/api/lib/define-route.ts';
import { type CachedReply, cachedFrom, revalidatedHeaders, sendCached } from '#src/api/lib/render-reply.ts';
import type { RequestRouter } from '#src/api/lib/request-router.ts';
import { openApiDocument } from '#src/api/openapi/openapi-document.ts';
import { sha256 } from '#src/lib/crypto.ts';
import type { Html } from '#src/lib/html.ts';
import type { Services } from '#src/services.ts';
import { renderPage } from './page.ts';
import { style } from './style.ts';
import { tryIt } from './try-it.ts';

/** The API document, for machines at /api/v1/openapi.json and for people at /docs. Both are built on first use. */
export function mountDocs(requestRouter: RequestRouter, services: Services, routes: readonly Route[]): void {
  const document = once(() => openApiDocument(routes, services.config.settings));
  const json = once(() => render('application/json', JSON.stringify(document())));
  const page = once(() => render('text/html', renderPage(document()), pageHeaders));

  requestRouter.serve('/api/v1/openapi.json', {
    get(koa) {
      koa.set('access-control-allow-origin', '*');
      sendCached(koa, json());
    },
  });
  requestRouter.serve('/docs', { get: (koa) => sendCached(koa, page()) });
}

const hashOf = ({ text }: Html) => `'sha256-${sha256(text).toString('base64')}'`;

/** Allows the page's own style and script, and requests to this API; nothing else: no image, no other origin. */
const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(tryIt)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
};

function render(type: string, text: string, headers: Readonly<Record<string, string>> = {}): CachedReply {
  const etag = `"${sha256(text).toString('base64url').slice(0, 27)}"`;
  return cachedFrom({
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8`, ...revalidatedHeaders(etag, false), ...headers },
    body: text,
    etag,
  });
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
