import type { Middleware } from 'koa';

import { DomainError } from '#src/lib/errors.ts';
import { loadOnce } from '#src/lib/load-once.ts';
import type { Services } from '#src/services.ts';
import { boardPath, shownOnBoard } from './respond.ts';

const boardsPaths = new RegExp(`^${boardPath}(/|$)`);

const redisIsAway = 'Redis is unavailable, so the queues cannot be shown. No data was lost.';

/**
 * The board of queues, loaded on first use: it is larger than the rest of the web process. It must not be opened while
 * Redis is unavailable, because a queue that is opened then never works.
 */
export function openOnFirstUse(services: Services): Middleware {
  const loadBoard = loadOnce(() => import('./board.ts').then(({ createBoard }) => createBoard(services)));
  return async (koa, next) => {
    if (!boardsPaths.test(koa.path)) return next();
    const rejectWithoutRedis = (cause?: unknown) => {
      if (services.redis.status === 'ready') return;
      throw new DomainError('unavailable', 'service_unavailable', redisIsAway, { ...shownOnBoard(redisIsAway), cause });
    };
    rejectWithoutRedis();
    const board = await loadBoard();
    try {
      await board(koa, next);
    } catch (error) {
      if (!(error instanceof DomainError)) rejectWithoutRedis(error);
      throw error;
    } finally {
      // The board's own router calls it `/`, and our router does not know it.
      koa['_matchedRoute'] = boardPath;
    }
    // What the board responds where Redis stopped responding meanwhile.
    if (koa.status === 500) rejectWithoutRedis();
  };
}
