import Router from '@koa/router';
import { transact } from '#src/database/transact.ts';
import {
  busiestTenants,
  countQuarantined,
  daily,
  funnel,
  readBacklog,
  requestRebuild,
} from '#src/domain/analytics/index.ts';
import { listZeroResultSearches } from '#src/domain/search/index.ts';
import type { Services } from '#src/services.ts';
import { renderAnalyticsPage, renderStoreAnalyticsPage } from './analytics-page.ts';
import { contextOf, doneOf, redirect, show, slugsOf } from './respond.ts';

const shownDays = 30;
const shownStores = 100;

/** The pages with the analytics of all stores and the backlog of events. */
export function analyticsPages(services: Services): Router {
  const router = new Router({ prefix: '/ops/analytics' });

  router.get('/', async (koa) => {
    const ctx = services.context();
    const [backlog, quarantined, busiest] = await Promise.all([
      readBacklog(ctx),
      countQuarantined(ctx),
      busiestTenants(ctx, { days: shownDays, limit: shownStores }),
    ]);
    const slugs = await slugsOf(services, busiest);
    const stores = busiest.map((store) => ({ ...store, slug: slugs.get(store.tenantId) ?? '' }));
    show(koa, renderAnalyticsPage({ backlog, quarantined, stores, now: services.clock.now() }));
  });

  router.get('/:slug', async (koa) => {
    const ctx = await contextOf(services, koa);
    const [reached, days, zeroResultSearches] = await Promise.all([
      funnel(ctx),
      daily(ctx),
      listZeroResultSearches(ctx),
    ]);
    show(
      koa,
      renderStoreAnalyticsPage({
        tenant: ctx.tenant,
        funnel: reached,
        daily: days,
        zeroResultSearches,
        now: services.clock.now(),
        done: doneOf(koa),
      }),
    );
  });

  router.post('/:slug/rebuild', async (koa) => {
    const ctx = await contextOf(services, koa);
    const { from, to } = await funnel(ctx);
    await transact(ctx, async (ctx) => requestRebuild(ctx, { from, to }));
    redirect(koa, `/ops/analytics/${ctx.tenant.slug}`, 'The days are being recalculated.');
  });
  return router;
}
