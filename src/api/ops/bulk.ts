import Router, { type RouterContext } from '@koa/router';

import { cancelOperation, openOperations, operationTypes } from '#src/domain/bulk/index.ts';
import { found } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { renderBulkPage } from './bulk-page.ts';
import { contextOf, doneOf, isStill, redirect, show, slugsOf } from './respond.ts';

const path = '/ops/bulk';
const shownMax = 200;

/** The page where operators see the imports, exports and bulk changes of all stores in progress, and cancel them. */
export function bulkPages(services: Services): Router {
  const router = new Router({ prefix: path });

  router.get('/', async (koa: RouterContext) => {
    const operations = await openOperations(services.context(), shownMax);
    const slugs = await slugsOf(services, operations);
    show(
      koa,
      renderBulkPage({ operations, slugs, now: services.clock.now(), done: doneOf(koa), isStill: isStill(koa) }),
    );
  });

  router.post('/:slug/:type/:id/cancel', async (koa) => {
    const ctx = await contextOf(services, koa);
    const type = found(
      operationTypes.find((each) => each === koa.params['type']),
      'operation',
    );
    await cancelOperation(ctx, { id: koa.params['id'] ?? '', type });
    redirect(koa, path, 'It is canceled.');
  });
  return router;
}
