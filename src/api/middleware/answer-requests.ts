import type { Middleware } from 'koa';

import { allowOrigin } from '#src/api/lib/cors.ts';
import { renderError, sendReply } from '#src/api/lib/render-reply.ts';
import { correlate } from '#src/lib/correlation.ts';
import { newId } from '#src/lib/ids.ts';
import { inSpan } from '#src/lib/tracing.ts';
import type { Services } from '#src/services.ts';

/** A caller's own request id is kept when it is harmless to log. */
const harmless = /^[A-Za-z0-9_-]{8,64}$/;

/** Give each request its id, answer every error with the one envelope, and write one line when it is over. */
export function answerRequests(services: Services): Middleware {
  return async (koa, next) => {
    const given = koa.get('x-request-id');
    const requestId = harmless.test(given) ? given : newId('req');
    const startedAt = performance.now();
    const finished = services.metrics.requestStarted();
    koa.set('x-request-id', requestId);

    await correlate({ requestId }, async () => {
      try {
        await inSpan(`${koa.method} ${koa.path}`, { 'http.request.method': koa.method }, () => next());
      } catch (error) {
        const reply = renderError(error, requestId);
        if (reply.status >= 500) services.log.error({ err: error, path: koa.path }, 'request failed');
        if (koa.get('origin') !== '') allowOrigin(koa, koa.get('origin'));
        sendReply(koa, reply, false);
      }
      const route = String(koa['_matchedRoute'] ?? 'none');
      finished({ method: koa.method, route, status: koa.status });
      const [, provider] = /^\/api\/webhooks\/([a-z]+)\//.exec(route) ?? [];
      if (provider && koa.status === 400) services.metrics.count('inbound_refused', { tenant: String(koa.state['tenant']), provider });
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      services.log.info({ method: koa.method, route, status: koa.status, ms: durationMs, tenant: koa.state['tenant'] }, 'request');
    });
  };
}
