import Router, { type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';

import { respondPreflight } from './cors.ts';
import type { Route } from './define-route.ts';
import { HttpError } from './http-error.ts';

/** The methods as the Allow header lists them, in this order. */
const served = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Responds to a request. */
export type Handler = (koa: RouterContext) => Promise<void> | void;

/**
 * The routes of the application. A known path responds to a preflight, and to a method that it does not support with
 * 405 and the methods that it does: a fixed segment of one route is never taken for a parameter of another.
 */
export class RequestRouter {
  readonly #router = new Router();

  /** Add a path. Of two that match a request, the earlier one serves it. */
  serve(path: string, handlers: Partial<Record<Route['method'], Handler>>): void {
    const byMethod = new Map(Object.entries(handlers).map(([method, handler]) => [method.toUpperCase(), handler]));
    if (handlers.get) byMethod.set('HEAD', handlers.get);
    const methods = served.filter((method) => byMethod.has(method));
    this.#router.all(path, (koa) => {
      const handler = byMethod.get(koa.method);
      if (handler) return handler(koa);
      const allow = [...methods, 'OPTIONS'].join(', ');
      if (koa.method === 'OPTIONS') return respondPreflight(koa, allow);
      throw new HttpError(405, 'method_not_allowed', `${koa.method} is not supported at this URL.`, { allow });
    });
  }

  /** Serves known paths and passes everything else on. */
  middleware(): Middleware {
    return this.#router.routes() as Middleware;
  }
}
