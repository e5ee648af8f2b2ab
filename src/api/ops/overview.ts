import Router from '@koa/router';

import { readOperations } from '#src/domain/backoffice/index.ts';
import type { Services } from '#src/services.ts';
import { renderOverviewPage } from './overview-page.ts';
import { show } from './respond.ts';

/** The operators' start page: what needs attention, and the state of every queue. */
export function overviewPages(services: Services): Router {
  const router = new Router();
  router.get('/ops', async (koa) => {
    const operations = await readOperations(services.context());
    show(koa, renderOverviewPage({ operations, isRedisAway: services.redis.status !== 'ready' }));
  });
  return router;
}
