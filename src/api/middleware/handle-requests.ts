import type { Middleware } from 'koa';

import { allowOrigin } from '#src/api/lib/cors.ts';
import { renderError, sendReply } from '#src/api/lib/render-reply.ts';
import { correlate } from '#src/lib/correlation.ts';
import { newId } from '#src/lib/ids.ts';
import { inSpan, markFailed } from '#src/lib/tracing.ts';
import type { Services } from '#src/services.ts';

/** A caller's own request id is used if it is safe to log. */
const harmless = /^[A-Za-z0-9_-]{8,64}$/;

/** Outside local mode the service is reached over TLS, and a browser that was here uses nothing else for a year. */
const overTlsOnly = 'max-age=31536000';

/** Assign each request its id, respond to every error with the error envelope, and log one line at the end. */
export function handleRequests(services: Services): Middleware {
  return async (koa, next) => {
    const given = koa.get('x-request-id');
    const requestId = harmless.test(given) ? given : newId('req');
    const startedAt = performance.now();
    koa.state['requestId'] = requestId;
    // Whatever someone has written in a response, a browser takes it for nothing else than its type says.
    koa.set('x-content-type-options', 'nosniff');
    if (!services.config.settings.localMode) koa.set('strict-transport-security', overTlsOnly);

    await correlate({ requestId }, () =>
      inSpan(koa.method, { kind: 'server', attributes: { 'http.request.method': koa.method } }, async (span) => {
        try {
          await next();
        } catch (error) {
          const reply = renderError(error, requestId, koa.state['errorPage']);
          if (reply.status >= 500) services.log.error({ err: error, path: koa.path }, 'request failed');
          if (koa.get('origin') !== '') allowOrigin(koa, koa.get('origin'));
          sendReply(koa, reply);
        }
        if (!koa.headerSent) koa.set('x-request-id', requestId);
        const { method, status } = koa;
        const route = String(koa['_matchedRoute'] ?? 'none');
        const tenant: unknown = koa.state['tenant'];
        span.updateName(`${method} ${route}`).setAttributes({
          'http.route': route,
          'http.response.status_code': status,
          ...(typeof tenant === 'string' && { tenant }),
        });
        if (status >= 500) markFailed(span);
        const [, provider] = /^\/api\/webhooks\/([a-z]+)\//.exec(route) ?? [];
        if (provider && status === 400) services.metrics.count('inbound_refused', { tenant: String(tenant), provider });
        const ms = performance.now() - startedAt;
        services.metrics.requestHandled({ method, route, status }, ms / 1000);
        services.log.info({ method, route, status, ms: Math.round(ms * 10) / 10, tenant }, 'request');
      }),
    );
  };
}
