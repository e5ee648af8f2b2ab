import type { Services } from '#src/services.ts';
import type { Handler } from '../lib/request-router.ts';

/** The process runs. */
export const respondHealth: Handler = (koa) => {
  koa.body = { ok: true };
};

/** The process can serve: PostgreSQL responds and no shutdown has begun. Redis is not needed to serve. */
export function respondReadiness(services: Services): Handler {
  return async (koa) => {
    const database = await services.context().database.answers();
    const ready = database && !services.isClosing();
    koa.status = ready ? 200 : 503;
    koa.body = { ready, database, redis: services.redis.status === 'ready', closing: services.isClosing() };
  };
}
