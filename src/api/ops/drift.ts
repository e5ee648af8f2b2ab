import Router, { type RouterContext } from '@koa/router';

import { dismissAttention, ordersNeedingAttention } from '#src/domain/backoffice/index.ts';
import { readDrift } from '#src/domain/payments/index.ts';
import type { Services } from '#src/services.ts';
import { renderDriftPage } from './drift-page.ts';
import { contextOf, doneOf, formOf, orMessage, redirect, show, slugsOf } from './respond.ts';

const path = '/ops/drift';
const shownMax = 200;

/** The page where operators see which orders and payments do not agree, and dismiss what they have handled. */
export function driftPages(services: Services): Router {
  const router = new Router({ prefix: path });

  const showAll = async (koa: RouterContext, problem?: string) => {
    const ctx = services.context();
    const [drift, waiting] = await Promise.all([readDrift(ctx, shownMax), ordersNeedingAttention(ctx, shownMax)]);
    const slugs = await slugsOf(services, [...drift.stores, ...drift.orders, ...drift.gaps, ...waiting]);
    show(koa, renderDriftPage({ ...drift, waiting, slugs, now: services.clock.now(), done: doneOf(koa), problem }));
  };

  router.get('/', (koa) => showAll(koa));

  router.post('/:slug/orders/:id/dismiss', async (koa) => {
    const ctx = await contextOf(services, koa);
    const { code = '' } = await formOf(koa);
    const result = await orMessage(dismissAttention(ctx, { orderId: koa.params['id'] ?? '', code }));
    if ('value' in result) return redirect(koa, path, 'The problem is dismissed.');
    koa.status = 409;
    await showAll(koa, result.message);
  });
  return router;
}
