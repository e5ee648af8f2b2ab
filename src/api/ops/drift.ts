import Router from '@koa/router';

import { ordersNeedingAttention } from '#src/domain/backoffice/index.ts';
import { readDrift } from '#src/domain/payments/index.ts';
import type { Services } from '#src/services.ts';
import { renderDriftPage } from './drift-page.ts';
import { show, slugsOf } from './respond.ts';

const shownMax = 200;

/** The page on which operators see what stores and their payment provider do not agree about. */
export function driftPages(services: Services): Router {
  const router = new Router();
  router.get('/ops/drift', async (koa) => {
    const ctx = services.context();
    const [drift, waiting] = await Promise.all([readDrift(ctx, shownMax), ordersNeedingAttention(ctx, shownMax)]);
    const slugs = await slugsOf(services, [...drift.stores, ...drift.orders, ...waiting]);
    show(koa, renderDriftPage({ ...drift, waiting, slugs, now: services.clock.now() }));
  });
  return router;
}
