import Koa from 'koa';

import type { Services } from '#src/services.ts';
import { mountConsole } from './console/index.ts';
import { mountDocs } from './docs/index.ts';
import type { Route } from './lib/define-route.ts';
import { HttpError } from './lib/http-error.ts';
import { mountRoutes } from './lib/mount-routes.ts';
import { RequestRouter } from './lib/request-router.ts';
import { createRouteServices } from './lib/route-services.ts';
import { handleRequests } from './middleware/handle-requests.ts';
import { limitQuery } from './middleware/limit-query.ts';
import { opsRoutes } from './ops/index.ts';
import { routes as allRoutes } from './routes.ts';

/** The web application. Everything that happens to a request, in its order, is on this screen. */
export function createApp(services: Services, routes: readonly Route[] = allRoutes): Koa {
  const shared = createRouteServices(services);
  const requestRouter = new RequestRouter();
  mountRoutes(requestRouter, shared, routes);
  mountDocs(requestRouter, services, routes);
  mountConsole(requestRouter);
  const app = new Koa({ proxy: false });
  // The middleware handles every error of a request. What reaches Koa itself comes from the board or a broken
  // connection.
  app.on('error', (error: unknown) => services.log.debug({ err: error }, 'koa'));

  app.use(handleRequests(services));
  app.use(limitQuery());
  app.use(requestRouter.middleware());
  for (const middleware of opsRoutes(services)) app.use(middleware);
  app.use(() => {
    throw new HttpError(404, 'not_found', 'Not found.');
  });
  return app;
}
