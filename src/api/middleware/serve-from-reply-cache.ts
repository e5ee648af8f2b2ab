import type { Middleware } from 'koa';
import { enforceLimits } from '#src/api/lib/mount-routes.ts';
import { sendStored } from '#src/api/lib/render-reply.ts';
import type { RouteServices } from '#src/api/lib/route-services.ts';

/**
 * Send the cached reply of an identical request while it is fresh, without looking up its route or its caller again.
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
