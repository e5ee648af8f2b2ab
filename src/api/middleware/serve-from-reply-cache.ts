import type { Middleware } from 'koa';
import { enforceLimits } from '#src/api/lib/mount-routes.ts';
import { sendStored } from '#src/api/lib/render-reply.ts';
import type { RouteServices } from '#src/api/lib/route-services.ts';

/**
 * Answer a request that says the same as one of a moment ago with the same reply while that is fresh: neither its route
 * nor its visitor is looked up again.
 */
export function serveFromReplyCache(shared: RouteServices): Middleware {
  return async (koa, next) => {
    const known = shared.authCache.find(koa);
    const reply = known && shared.replies.peek(known.visitor, koa.url);
    if (!reply) return next();
    koa.state['route'] = known.route.path;
    await enforceLimits(shared, known, koa);
    sendStored(koa, reply);
  };
}
