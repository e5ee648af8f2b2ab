import type { Middleware } from 'koa';

import type { Counter } from '#src/api/lib/counter.ts';
import { meet } from '#src/api/lib/mount-routes.ts';
import { sendKept } from '#src/api/lib/render-reply.ts';

/**
 * Answer a request that says the same as one of a moment ago with the same reply while that is fresh: neither its route
 * nor its visitor is looked up again.
 */
export function answerRepeats(counter: Counter): Middleware {
  return async (koa, next) => {
    const admission = counter.admissions.find(koa);
    const reply = admission && counter.replies.peek(admission.visitor, koa.url);
    if (!reply) return next();
    koa.state['route'] = admission.route.path;
    await meet(counter, admission, koa);
    sendKept(koa, reply);
  };
}
