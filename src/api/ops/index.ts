import Router from '@koa/router';
import type { Middleware } from 'koa';

import type { Services } from '#src/services.ts';
import { answerHealth, answerMetrics, answerReadiness } from './health.ts';

/** What operators and their machines ask: health, metrics and the pages under /ops. */
export function opsRoutes(services: Services): Middleware {
  const router = new Router();
  router.get('/healthz', answerHealth);
  router.get('/readyz', answerReadiness(services));
  router.get('/metrics', answerMetrics(services));
  return router.routes() as Middleware;
}
