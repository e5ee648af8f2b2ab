import { jobNames as known } from '#jobs/index.ts';
import type { ScheduledJob } from '#jobs/lib/define-job.ts';
import { periodicJobNames, schedules } from '#jobs/schedules.ts';
import { runPlanned } from '#src/database/run-statement.ts';
import { asPlatform } from '#src/database/transact.ts';
import { atMostEvery } from '#src/lib/at-most-every.ts';
import { clocksAgreeWithinMs, fromNow } from '#src/lib/clock.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { type ClaimedJob, claimDue, claimStale, readFailed, returnClaims } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type Execute, removeFinishedLater } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';
import {
  addToQueues,
  correctDelays,
  openQueues,
  type RelayQueues,
  restoreFailed,
  upsertTickers,
} from './relay-queues.ts';

/** How often the relay polls without a wake-up, and while jobs wait for room in a queue; how often it heals. */
const defaultPace = { pollEveryMs: seconds(1), pollBacklogEveryMs: 100, healEveryMs: seconds(15) };

/** How many stale jobs, and failed ones of each queue, one round adds again: recovery must not delay new jobs. */
const healMax = 1000;

export interface RunningRelay {
  close(): Promise<void>;
}

/** Add due jobs from PostgreSQL to their queues until stopped. Any number of relays may run. */
export function startRelay(services: Services, pace: Partial<typeof defaultPace> = {}): RunningRelay {
  const { pollEveryMs, pollBacklogEveryMs, healEveryMs } = { ...defaultPace, ...pace };
  // A queue that is opened while Redis is away never works, so they are opened when it is there.
  let queues: RelayQueues | undefined;
  const enqueueSchedules = createScheduler(services);
  const wakes = subscribeToWakes(services);
  const execute: Execute = (statement) => runPlanned(services.context().database.pool, statement);
  // While PostgreSQL accepts no changes, each round fails; a line a minute is enough.
  const reportFailure = atMostEvery(minutes(1), (err: unknown) => services.log.warn({ err }, 'relay round failed'));
  let closing = false;
  let healAt = -Infinity;

  /** Each part is bounded, so that none waits for long behind the others. @returns after how long the next is needed */
  async function round(): Promise<number> {
    await enqueueSchedules();
    // Claims of jobs that cannot be added would only have to be released.
    if (services.redis.status !== 'ready') return pollEveryMs;
    queues ??= openQueues(services);
    if (performance.now() >= healAt) await heal(queues);
    const { claims, hasMore } = await claimDue(execute, known, services.clock.now());
    await addOrReturn(claims);
    return hasMore ? Math.min(pollBacklogEveryMs, pollEveryMs) : pollEveryMs;
  }

  async function heal(queues: RelayQueues): Promise<void> {
    healAt = performance.now() + healEveryMs;
    const claims = await claimStale(execute, known, services.clock.now(), healMax);
    await addOrReturn(claims);
    await correctDelays(services, queues, claims);
    await upsertTickers(queues);
    await restoreFailed(queues, await readFailed(execute, known, { limitPerQueue: healMax }), services.clock.now());
    // The next round continues.
    if (claims.length === healMax) healAt = -Infinity;
  }

  async function addOrReturn(claims: ClaimedJob[]): Promise<void> {
    if (claims.length === 0) return;
    try {
      await addToQueues((queues ??= openQueues(services)), claims, services.clock.now());
    } catch (error) {
      await returnClaims(
        services.execute,
        claims.map(({ id }) => id),
        services.clock.now(),
      );
      throw error;
    }
  }

  async function closeQueues(): Promise<void> {
    const opened = [...(queues?.values() ?? [])];
    queues = undefined;
    await Promise.allSettled(opened.map((queue) => queue.close()));
  }

  async function loop(): Promise<void> {
    while (!closing) {
      const nextInMs = await round().catch(async (error: unknown) => {
        reportFailure(error);
        await closeQueues();
        return pollEveryMs;
      });
      if (!closing) await wakes.next(nextInMs);
    }
  }

  const looping = loop();
  return {
    async close() {
      closing = true;
      await wakes.close();
      await looping;
      await closeQueues();
    },
  };
}

/** Waits for the next wake-up or for the poll interval, whichever comes first. */
interface Wakes {
  next(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Receive a wake-up when jobs are committed. One that arrives while nothing waits is stored for the next wait. */
function subscribeToWakes(services: Services): Wakes {
  const subscriber = services.connectBlocking();
  let woken = false;
  let resume: (() => void) | undefined;

  function wake(): void {
    woken = true;
    resume?.();
  }

  subscriber.on('message', wake);
  subscriber.subscribe(services.wakeChannel).catch((error: unknown) => {
    services.log.warn({ err: error }, 'the relay receives no wake-ups and polls instead');
  });

  return {
    async next(withinMs) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      resume = undefined;
      woken = false;
    },
    async close() {
      wake();
      subscriber.disconnect();
    },
  };
}

/**
 * Enqueues each scheduled job once per period. A period that another relay has enqueued already is left alone, unless
 * that is yet to come: while PostgreSQL's clock was ahead, it was run before its time.
 */
export function createScheduler(services: Services): () => Promise<void> {
  const enqueuedPeriods = new Map<string, number>();

  return async function enqueueSchedules() {
    const now = services.clock.now().getTime();
    const begun = schedules
      .map((job) => ({ job, period: Math.floor(now / intervalOf(services, job)) }))
      .filter(({ job, period }) => enqueuedPeriods.get(job.name) !== period);
    if (begun.length === 0) return;

    await asPlatform(services.context(), 'schedules belong to no tenant', async (ctx) => {
      await removeFinishedLater(ctx.tx.execute, periodicJobNames, fromNow(services.clock, clocksAgreeWithinMs));
      for (const { job, period } of begun) enqueue(ctx, job, { period });
    });
    for (const { job, period } of begun) enqueuedPeriods.set(job.name, period);
  };
}

function intervalOf(services: Services, { everyMs }: ScheduledJob): number {
  return everyMs === 'sweep' ? services.config.settings.sweepIntervalMs : everyMs;
}
