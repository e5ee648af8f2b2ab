import Router, { type RouterContext } from '@koa/router';

import { busiestStores, daily, funnel, readBacklog, requestRebuild } from '#src/domain/analytics/index.ts';
import type { Context } from '#src/domain/context.ts';
import { transact } from '#src/domain/database.ts';
import { listMisses } from '#src/domain/search/index.ts';
import { notFound } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { renderAnalyticsPage, renderStoreAnalyticsPage } from './analytics-page.ts';

const shownDays = 30;
const shownStores = 100;

/** The pages on which operators see what storefronts told, and how far behind its counting is. */
export function analyticsPages(services: Services): Router {
  const router = new Router({ prefix: '/ops/analytics' });

  router.get('/', async (koa) => {
    const ctx = services.context();
    const [backlog, busiest] = await Promise.all([readBacklog(ctx), busiestStores(ctx, { days: shownDays, limit: shownStores })]);
    const stores = await Promise.all(busiest.map(async (store) => ({ ...store, slug: (await services.tenants.byId(store.tenantId))?.slug ?? '' })));
    show(koa, renderAnalyticsPage({ backlog, stores, now: services.clock.now() }));
  });

  router.get('/:slug', async (koa) => {
    const ctx = await contextOf(services, koa);
    const [reached, days, misses] = await Promise.all([funnel(ctx), daily(ctx), listMisses(ctx)]);
    const done = koa.query['done'] === undefined ? undefined : 'The days are being reckoned anew.';
    show(koa, renderStoreAnalyticsPage({ tenant: ctx.tenant, funnel: reached, daily: days, misses, now: services.clock.now(), done }));
  });

  router.post('/:slug/rebuild', async (koa) => {
    const ctx = await contextOf(services, koa);
    const { from, to } = await funnel(ctx);
    await transact(ctx, async (ctx) => requestRebuild(ctx, { from, to }));
    koa.redirect(`/ops/analytics/${ctx.tenant.slug}?done`);
    koa.status = 303;
  });
  return router;
}

async function contextOf(services: Services, koa: RouterContext): Promise<Context> {
  const tenant = await services.tenants.bySlug(koa.params['slug'] ?? '');
  if (!tenant) throw notFound('store');
  return { ...services.context({ actor: { kind: 'operator', id: 'ops' } }), tenant };
}

function show(koa: RouterContext, page: string): void {
  koa.type = 'html';
  koa.body = page;
}
