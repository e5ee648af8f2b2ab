import type { Middleware } from 'koa';

import type { Services } from '#src/services.ts';

const boardPath = /^\/ops\/queues(\/|$)/;

/** The board of queues, loaded when somebody first looks at it: it is larger than the rest of the web process. */
export function openOnFirstUse(services: Services): Middleware {
  let board: Promise<Middleware> | undefined;
  return async (koa, next) => {
    if (!boardPath.test(koa.path)) return next();
    board ??= import('./board.ts').then(({ createBoard }) => createBoard(services));
    await (await board)(koa, next);
  };
}
