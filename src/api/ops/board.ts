import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import { Queue } from 'bullmq';
import type { Middleware } from 'koa';

import { HttpError } from '#src/api/lib/http-error.ts';
import { queueNames, queuePrefix, queues } from '#jobs/queues.ts';
import type { Services } from '#src/services.ts';

const boardPath = '/ops/queues';

/** What may be changed on the board: one failed job, or all of a queue's, may be tried again. */
const retries = /^\/ops\/queues\/api\/queues\/[^/]+\/([^/]+\/retry(\/failed)?|retry\/failed)$/;

/**
 * Bull Board over every queue. One can look, and retry what failed; everything else that the board offers would go
 * around the outbox, so it is refused here and hidden there. It shows ids and our own sentences: jobs hold nothing else.
 *
 * Import this on first use: it and its page are larger than the rest of the web process.
 */
export function createBoard(services: Services): Middleware {
  const serverAdapter = new KoaAdapter();
  serverAdapter.setBasePath(boardPath);
  createBullBoard({
    queues: queueNames.map((name) => {
      const queue = new Queue(name, { connection: services.redis, prefix: queuePrefix(name), skipWaitingForReady: true });
      queue.on('error', (error) => services.log.debug({ queue: name, err: error.message }, 'board connection'));
      const adapter = new BullMQAdapter(queue, { allowRetries: true, description: queues[name].about });
      adapter.setFormatter('data', showIds);
      return adapter;
    }),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'Storefront queues',
        hideRedisDetails: true,
        miscLinks: [{ text: 'Operations', url: '/ops' }, { text: 'Labels', url: '/ops/labels' }],
      },
    },
  });
  const board: Middleware = serverAdapter.registerPlugin();

  return async (koa, next) => {
    const isChange = !['GET', 'HEAD'].includes(koa.method);
    if (isChange && !(koa.method === 'PUT' && retries.test(koa.path))) {
      throw new HttpError(405, 'method_not_allowed', 'On this board one can look, and retry what failed.');
    }
    if (services.redis.status !== 'ready') throw new HttpError(503, 'service_unavailable', 'Redis is away: nothing is lost, but the queues cannot be shown.');
    await board(koa, next);
    if (typeof koa.body === 'string' && koa.type === 'text/html') koa.body = koa.body.replace('</head>', `${hideChanges}</head>`);
  };
}

/** Of the envelope only whose job it is. */
function showIds(data: unknown): unknown {
  const tenantId = typeof data === 'object' && data !== null && 'tenantId' in data ? data.tenantId : null;
  return { tenantId };
}

const hideChanges = '';
