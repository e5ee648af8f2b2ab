import { type Job, Queue } from 'bullmq';
import { jobs } from '#jobs/index.ts';
import { type QueueName, queueNames, queuePrefix } from '#jobs/queues.ts';
import { tickers } from '#jobs/schedules.ts';
import { clockSkewMaxSeconds } from '#src/database/prove-database.ts';
import { days, seconds } from '#src/lib/duration.ts';
import type { ClaimedJob } from '#src/outbox/claim-jobs.ts';
import type { Services } from '#src/services.ts';
import type { Envelope } from '#workers/runtime/run-job.ts';

const attemptsOf = new Map(jobs.map((job) => [job.name, job.retry.attempts]));

export type RelayQueues = ReadonlyMap<string, Queue<Envelope>>;

/** The queues as the relay, which alone adds to them, sees them. */
export function openQueues(services: Services): RelayQueues {
  return new Map(queueNames.map((name) => [name, openQueue(services, name)]));
}

function openQueue(services: Services, name: QueueName): Queue<Envelope> {
  const queue = new Queue<Envelope>(name, {
    connection: services.redis,
    prefix: queuePrefix(name),
    skipWaitingForReady: true,
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: { age: days(30) / 1000, count: 10_000 },
      backoff: { type: 'custom' },
    },
  });
  queue.on('error', (error) => services.log.debug({ queue: name, err: error.message }, 'queue connection'));
  return queue;
}

/**
 * Add claimed jobs to their queues, one queue after the other in the order of the claims. The id in the queue is the id
 * of the row, so adding a job that the queue still has does nothing, but that it is healed.
 */
export async function addToQueues(queues: RelayQueues, claims: readonly ClaimedJob[], now: Date): Promise<void> {
  for (const [name, some] of Map.groupBy(claims, ({ queue }) => queue)) await addToQueue(queues.get(name), some, now);
}

async function addToQueue(queue: Queue<Envelope> | undefined, claims: readonly ClaimedJob[], now: Date): Promise<void> {
  const timestamp = now.getTime();
  const added = await queue?.addBulk(
    claims.map(({ id, job, tenantId, trace, priority }) => ({
      name: job,
      data: { tenantId, trace },
      // A queue is otherwise first come, first served, and a store's jobs would wait for all that another store has in
      // it.
      opts: { jobId: id, timestamp, attempts: attemptsOf.get(job) ?? 1, priority },
    })),
  );
  const again = new Set(claims.filter(({ isAgain }) => isAgain).map(({ id }) => id));
  if (queue && added)
    await Promise.all(added.filter(({ id }) => again.has(id ?? '')).map((job) => healJob(queue, job)));
}

/**
 * If the queue has a job as failed although its row is open, it is retried, with all of its attempts. If a part of it is
 * lost, its data or its place in the queue, because Redis evicted that, it is added anew: it would never run otherwise.
 */
async function healJob(queue: Queue<Envelope>, job: Job<Envelope>): Promise<void> {
  const held = await queue.getJob(job.id ?? '');
  // It has ended meanwhile.
  if (!held) return;
  const state = await held.getState();
  if (state === 'failed') return held.retry('failed', { resetAttemptsMade: true });
  const isWhole = held.name && state !== 'unknown';
  // One that a worker is running is not removed.
  if (!isWhole && (await queue.remove(held.id ?? ''))) await queue.add(job.name, job.data, job.opts);
}

/**
 * Add failed jobs to the queues that hold fewer: Redis was emptied. A worker does not execute them again, but reports
 * them to its queue as failed, so that the board shows them.
 */
export async function restoreFailed(queues: RelayQueues, failed: readonly ClaimedJob[], now: Date): Promise<void> {
  for (const [name, some] of Map.groupBy(failed, ({ queue }) => queue)) {
    const queue = queues.get(name);
    if (queue && (await queue.getFailedCount()) < some.length) await addToQueue(queue, some, now);
  }
}

/*
 * BullMQ counts by the clock of the machine that delays a job, and then of those that may take it. So the job waits for
 * too long where the first is ahead, or was set back since, or where the others are behind. It is corrected by this
 * machine's clock, by which BullMQ counts from then on: by PostgreSQL's, a delay on machines that are ahead of it would
 * begin again each time. What machines differ by is tolerated.
 */
const skewMaxMs = seconds(clockSkewMaxSeconds);
const isTooLate = (at: number, delayMs: number) => at > Date.now() + delayMs + skewMaxMs;
const isOverdue = (at: number) => at < Date.now() - skewMaxMs;

/** Jobs that are delayed for too long wait for their delay from now, and those that are overdue run. */
export async function correctDelays(
  { redis }: Services,
  queues: RelayQueues,
  claims: readonly ClaimedJob[],
): Promise<void> {
  await Promise.all(
    claims.map(async ({ id, queue: name }) => {
      const score = await redis.zscore(`${queuePrefix(name as QueueName)}:${name}:delayed`, id);
      const job = score === null ? undefined : await queues.get(name)?.getJob(id);
      if (!job) return;
      const at = Number(score) / scorePerMs;
      if (isTooLate(at, job.delay)) await job.changeDelay(job.delay);
      else if (isOverdue(at)) await job.promote();
    }),
  );
}

/** Of BullMQ: how much each millisecond counts in the score of a delayed job. */
const scorePerMs = 0x1000;

/** Tickers live in Redis alone, so each round puts back what a wipe took, or a wrong clock has delayed. */
export async function upsertTickers(queues: RelayQueues): Promise<void> {
  for (const { job, everyMs } of tickers) {
    const queue = queues.get(job.queue);
    const { next } = (await queue?.getJobScheduler(job.name)) ?? {};
    if (next && isTooLate(next, everyMs)) await queue?.removeJobScheduler(job.name);
    await queue?.upsertJobScheduler(
      job.name,
      { every: everyMs },
      {
        name: job.name,
        data: { tenantId: null, trace: {} },
        opts: { removeOnComplete: true, removeOnFail: { count: 10 } },
      },
    );
  }
}
