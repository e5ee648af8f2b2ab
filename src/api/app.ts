import Router, { type RouterContext } from '@koa/router';
import Koa from 'koa';

import { mountDocs } from './docs/index.ts';
import { answerRequests } from './middleware/answer-requests.ts';
import { answerPreflight } from './lib/cors.ts';
import type { Route } from './lib/define-route.ts';
import { mountRoutes, unrouted } from './lib/mount-routes.ts';
import { opsRoutes } from './ops/index.ts';
import { routes as allRoutes } from './routes.ts';
import type { Services } from '#src/services.ts';

/** The web application. Everything that happens to a request, in its order, is on this screen. */
export function createApp(services: Services, routes: readonly Route[] = allRoutes): Koa {
  const router: Router = mountRoutes(services, routes);
  mountDocs(router, services, routes);
  const app = new Koa({ proxy: false });
  // Every error of a request is answered below; what reaches Koa itself is the board's, or a connection that broke.
  app.on('error', (error: unknown) => services.log.debug({ err: error }, 'koa'));

  app.use(answerRequests(services));
  for (const middleware of opsRoutes(services)) app.use(middleware);
  app.use(async (koa, next) => {
    const { path } = router.match(koa.path, koa.method);
    if (koa.method === 'OPTIONS' && path.length > 0) answerPreflight(koa, path.flatMap((layer) => layer.methods).join(', '));
    else await next();
  });
  app.use(router.routes());
  app.use((koa) => {
    throw unrouted(koa as RouterContext, routes, router);
  });
  return app;
}
