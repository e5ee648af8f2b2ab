import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import { Queue } from 'bullmq';
import type { Context, Middleware } from 'koa';
import { type QueueName, queueNames, queuePrefix, queues } from '#jobs/queues.ts';
import { HttpError } from '#src/api/lib/http-error.ts';
import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { DomainError, invalidRequest, notFound } from '#src/lib/errors.ts';
import { Type } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';
import { closedAmong, retriesMax, retryFailed } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';
import { boardPath, shownOnBoard } from './respond.ts';

/** What may be changed on the board: one failed job, or all of a queue's, may be tried again. */
const retries = /^\/ops\/queues\/api\/queues\/(?<queue>[^/]+)\/(?:(?<id>[^/]+)\/retry(?:\/failed)?|retry\/failed)$/;

/**
 * Bull Board over every queue. Operators can view jobs and retry failed ones. Everything else that the board offers
 * would bypass the outbox, so it is rejected here and hidden there. Jobs contain only ids and our own messages.
 *
 * Import this on first use: the board is larger than the rest of the web process.
 */
export function createBoard(services: Services): Middleware {
  const serverAdapter = new KoaAdapter();
  serverAdapter.setBasePath(boardPath);
  const opened: Queue[] = [];
  createBullBoard({
    queues: queueNames.map((name) => {
      const queue = openQueue(services, name);
      opened.push(queue);
      const adapter = new BullMQAdapter(queue, { allowRetries: true, description: queues[name].about });
      adapter.setFormatter('data', showIds);
      return adapter;
    }),
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'Storefront queues',
        hideRedisDetails: true,
        miscLinks: [
          { text: 'Operations', url: '/ops' },
          { text: 'Labels', url: '/ops/labels' },
        ],
      },
    },
  });
  const board: Middleware = serverAdapter.registerPlugin();
  const dropClosed = createDropClosed(services, opened);

  return async (koa, next) => {
    if (!['GET', 'HEAD'].includes(koa.method)) return respondRetry(services, koa);
    rejectUndecodable(koa.query['activeQueue']);
    // Every response has the number of failed jobs of each queue.
    if (koa.path === `${boardPath}/api/queues`) await dropClosed();
    // The board responds 500 to any error that is thrown below it, including our 404.
    let isBoards = true;
    await board(koa, async () => void (isBoards = false));
    if (!isBoards) return next();
    const body: unknown = koa.body;
    if (typeof body === 'string' && koa.type === 'text/html')
      koa.body = body.replace('</head>', `<style>${hideChanges}</style></head>`);
    else if (koa.query['activeQueue'] === undefined && fits(QueueList, body))
      for (const queue of body.queues) queue.readOnlyMode = true;
  };
}

/** The board shows no sentence of ours beside a success. */
const retriedInPart = `${retriesMax.toLocaleString('en-US')} failed jobs are retried now. Press Retry all again for the rest.`;

const notFailed =
  'This queue has no failed job with this id, or this release does not know it. It may be running again.';

/** The rows are retried, and the relay carries them: the board itself changes nothing in Redis. */
async function respondRetry(services: Services, koa: Context): Promise<void> {
  const { queue, id } = (koa.method === 'PUT' && retries.exec(koa.path)?.groups) || {};
  if (!queue) throw new HttpError(405, 'method_not_allowed', 'Only retrying failed jobs is allowed here.');
  if (!queueNames.some((name) => name === queue)) throw notFound('queue');
  const retried = await retryFailed(services.execute, { queue, ...(id && { id }) }, services.clock.now());
  if (id && retried === 0) throw new DomainError('not_found', 'not_found', notFailed, shownOnBoard(notFailed));
  services.context().database.wakeRelay();
  if (retried === retriesMax)
    throw new DomainError('too_many', 'rate_limited', retriedInPart, shownOnBoard(retriedInPart));
  if (id) koa.status = 204;
  else koa.body = { retried, skipped: 0 };
}

/** The board decodes the name once more. */
function rejectUndecodable(name: unknown): void {
  try {
    decodeURIComponent(String(name ?? ''));
  } catch {
    throw invalidRequest('activeQueue cannot be decoded.');
  }
}

function openQueue(services: Services, name: QueueName): Queue {
  const queue = new Queue(name, { connection: services.redis, prefix: queuePrefix(name), skipWaitingForReady: true });
  queue.on('error', (error) => services.log.debug({ queue: name, err: error.message }, 'board connection'));
  return queue;
}

/** How many failed jobs of a queue are checked at a time: of the newest, and of those behind them. */
const scannedMax = 500;

/**
 * Returns what removes failed jobs from the queues whose work was done in another way, on /ops/labels or by the owner,
 * or that have no row and cannot be retried. Each call checks the newest and a further part, and so all after a few.
 */
function createDropClosed({ execute }: Services, queues: readonly Queue[]): () => Promise<void> {
  const positions = new Map<Queue, number>();

  async function scan(queue: Queue): Promise<readonly string[]> {
    const from = positions.get(queue) ?? scannedMax;
    const [newest, further] = await Promise.all(
      [0, from].map((start) => queue.getRanges(['failed'], start, start + scannedMax - 1)),
    );
    positions.set(queue, further?.length === scannedMax ? from + scannedMax : scannedMax);
    return [...(newest ?? []), ...(further ?? [])];
  }

  return async () => {
    const failed = await Promise.all(queues.map(async (queue) => ({ queue, ids: await scan(queue) })));
    const ids = failed.flatMap(({ ids }) => ids);
    const closed = new Set(ids.length > 0 ? await closedAmong(execute, ids).catch(noneWithoutDatabase) : []);
    await Promise.all(
      failed.flatMap(({ queue, ids }) => ids.filter((id) => closed.has(id)).map((id) => queue.remove(id))),
    );
  };
}

/** The board shows what Redis has while PostgreSQL is away. */
function noneWithoutDatabase(error: unknown): string[] {
  if (isDatabaseAway(error)) return [];
  throw error;
}

/** The only part of the job's data that the board shows: the store that it is for. */
function showIds(data: unknown): unknown {
  const tenantId = typeof data === 'object' && data !== null && 'tenantId' in data ? data.tenantId : null;
  return { tenantId };
}

/** The response for the board's overview, where nothing may be changed. */
const QueueList = Type.Object({ queues: Type.Array(Type.Object({ readOnlyMode: Type.Boolean() })) });

/** Hides every button but Retry: the others are rejected above. Messages wrap between words. */
const hideChanges = `
  [class^="jobActions-"] > li:not(:has(.lucide-refresh-cw)),
  [class^="queueActions-"] > li:not(:has(.lucide-refresh-cw)),
  [class^="trigger-"][aria-haspopup="menu"] { display: none }
  pre, pre code { word-break: normal !important; overflow-wrap: anywhere; white-space: pre-wrap !important }
`;
