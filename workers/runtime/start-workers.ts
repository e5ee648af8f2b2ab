import { setTimeout as pause } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';

import { delayAfter } from '#jobs/lib/retry.ts';
import { type QueueName, queuePrefix } from '#jobs/queues.ts';
import { atMostEvery } from '#src/lib/at-most-every.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { within } from '#src/lib/within.ts';
import { type RedisConnection, untilReady } from '#src/platform/redis.ts';
import type { Services } from '#src/services.ts';
import { FairShare, goesFirst, PriorityGate } from './admission.ts';
import { databaseAwayMs, type Outcome } from './outcome.ts';
import type { Processor } from './processor.ts';
import { delay, Retry, recordOutcome } from './record-outcome.ts';
import { type Envelope, runJob } from './run-job.ts';

/** Stops taking work, lets running jobs end, and shortly before the deadline aborts those that still run. */
export interface RunningWorkers {
  close(deadlineMs: number): Promise<void>;
}

/** The part of the time to close in that jobs may use. In the rest, those that were aborted are returned to the queue. */
const workingShare = 0.9;

/** How long after a worker could not begin the next one starts. */
const startAgainMs = seconds(1);

/** How often a queue reports what happens again and again while PostgreSQL or Redis is unavailable. */
const reportEveryMs = minutes(1);

/** Work the jobs of these queues in this process. */
export function startWorkers(
  services: Services,
  queueNames: readonly QueueName[],
  all: readonly Processor[],
): RunningWorkers {
  const processors = new Map(all.map((processor) => [processor.job.name, processor]));
  const shutdown = new AbortController();
  const priorityGate = new PriorityGate();
  const workers = queueNames.map((queue) =>
    superviseWorker(services, (connection) =>
      startWorker(services, connection, queue, processors, priorityGate, shutdown.signal),
    ),
  );
  return {
    async close(deadlineMs) {
      const abort = setTimeout(() => shutdown.abort(), deadlineMs * workingShare);
      await within(deadlineMs, Promise.all(workers.map((worker) => worker.close())));
      clearTimeout(abort);
    },
  };
}

/**
 * Start a worker once Redis is there. One whose first calls to Redis fail would never work, since BullMQ does not try
 * again: then another takes its place.
 */
function superviseWorker(
  services: Services,
  start: (connection: RedisConnection) => Worker,
): { close(): Promise<void> } {
  const connection = services.connectBlocking();
  let worker: Worker | undefined;
  const report = atMostEvery(reportEveryMs, (queue: string, err: unknown) =>
    services.log.warn({ queue, err }, 'a worker could not begin, another takes its place'),
  );
  let hasBegun = false;
  let isClosing = false;

  async function begin(): Promise<void> {
    while (!isClosing) {
      await untilReady(connection);
      if (isClosing) return;
      worker = start(connection);
      try {
        await worker.waitUntilReady();
        hasBegun = true;
        return;
      } catch (error) {
        if (isClosing) return;
        report(worker.name, error);
        await worker.close(true).catch(() => undefined);
        await pause(startAgainMs);
      }
    }
  }

  void begin();
  return {
    async close() {
      isClosing = true;
      if (hasBegun) return worker?.close();
      // It has no job to end, and would wait for Redis before it is closed.
      void worker?.close(true).catch(() => undefined);
    },
  };
}

function startWorker(
  services: Services,
  connection: RedisConnection,
  queue: QueueName,
  processors: ReadonlyMap<string, Processor>,
  priorityGate: PriorityGate,
  shutdown: AbortSignal,
): Worker<Envelope> {
  const fairShare = new FairShare(services.config.concurrency[queue]);
  const reportPostponed = atMostEvery(reportEveryMs, (name: string, err: unknown) =>
    services.log.warn({ queue, job: name, err }, 'jobs are postponed: how they end cannot be recorded'),
  );

  async function work(job: Job<Envelope>, token?: string): Promise<void> {
    const tenantId = job.data.tenantId ?? '';
    const admission = await fairShare.admit(tenantId);
    if (!admission.admitted) return delay(job, token, admission.waitMs);
    const enter = () => priorityGate.enter(tenantId);
    let ended: (() => void) | undefined;
    if (goesFirst(queue, admission.running)) priorityGate.enterFirst(tenantId);
    else ended = await enter();
    const takeTurn = () => {
      // A job whose piece waits for its turn must not count as one that runs: others would go before it.
      ended?.();
      return enter();
    };
    if (job.attemptsMade === 0 && !job.repeatJobKey)
      services.metrics.jobWaited(queue, Math.max(0, services.clock.now().getTime() - job.timestamp) / 1000);
    const finished = services.metrics.jobStarted(queue, job.name);
    let kind: Outcome['kind'] = 'snooze';
    try {
      const outcome = await runJob(services, processors, job, { shutdown, takeTurn });
      kind = outcome.kind;
      await recordOutcome(services, job, token, outcome);
    } catch (error) {
      if (isOutcomeError(error)) throw error;
      // Nothing could be read or written.
      kind = 'snooze';
      reportPostponed(job.name, error);
      await delay(job, token, databaseAwayMs);
    } finally {
      finished(kind);
      ended?.();
      admission.release();
    }
  }

  const worker = new Worker<Envelope>(queue, work, {
    connection,
    prefix: queuePrefix(queue),
    concurrency: fairShare.places,
    // BullMQ must not fail a job whose process was killed twice: its row counts starts and decides.
    maxStalledCount: 100,
    lockDuration: seconds(15),
    stalledInterval: seconds(5),
    // After an error of the connection, which a Redis Cluster reports while a replica takes over.
    runRetryDelay: seconds(1),
    settings: {
      backoffStrategy: (failedAttempts, _type, _error, job) => {
        const policy = processors.get(job?.name ?? '')?.job.retry;
        return policy ? delayAfter(policy, failedAttempts, Math.random()) : seconds(1);
      },
    },
  });
  worker.on('closing', () => fairShare.close());
  // Without a listener an error of the connection would end the process; the connection itself reports it.
  worker.on('error', (error) => services.log.debug({ queue, err: error.message }, 'worker connection'));
  return worker;
}

/** What `recordOutcome` throws is meant for BullMQ; any other error comes from the database. */
function isOutcomeError(error: unknown): boolean {
  return error instanceof DelayedError || error instanceof UnrecoverableError || error instanceof Retry;
}
