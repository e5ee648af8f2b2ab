import { jobs } from '#jobs/index.ts';
import type { ScheduledJob } from '#jobs/lib/define-job.ts';
import { schedules, tickers } from '#jobs/schedules.ts';
import { asPlatform } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type ClaimedJob, claimDue, claimStale, returnClaims } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';
import { addToQueues, openQueues, type RelayQueues } from './relay-queues.ts';
import { subscribeToWakes } from './wakes.ts';

/** How often the relay polls without a wake-up, and how often it claims stale jobs. */
const defaultPace = { pollEveryMs: seconds(1), healEveryMs: seconds(15) };

const batchSize = 500;
/** How many stale jobs one round adds again, so that recovery does not delay new jobs. */
const healMax = 2000;

const known = jobs.map(({ name }) => name);

export interface RunningRelay {
  close(): Promise<void>;
}

/** Add due jobs from PostgreSQL to their queues until stopped. Any number of relays may run. */
export function startRelay(services: Services, { pollEveryMs, healEveryMs } = defaultPace): RunningRelay {
  // A queue that is opened while Redis is away never works, so they are opened when it is there.
  let queues: RelayQueues | undefined;
  const enqueueSchedules = createScheduler(services);
  const wakes = subscribeToWakes(services);
  let closing = false;
  let healedAt = -Infinity;

  async function round(): Promise<void> {
    await enqueueSchedules();
    // Claims of jobs that cannot be added would only have to be released.
    if (services.redis.status !== 'ready') return;
    queues ??= openQueues(services);
    await relayAll((limit) => claimDue(services.execute, known, services.clock.now(), limit), Infinity);
    if (performance.now() - healedAt < healEveryMs) return;
    healedAt = performance.now();
    await relayAll((limit) => claimStale(services.execute, known, services.clock.now(), limit), healMax);
    await upsertTickers(queues);
  }

  async function relayAll(claim: (limit: number) => Promise<ClaimedJob[]>, max: number): Promise<void> {
    let relayed = 0;
    let claims: ClaimedJob[];
    do {
      claims = await claim(Math.min(batchSize, max - relayed));
      await addOrReturn(claims);
      relayed += claims.length;
    } while (claims.length === batchSize && relayed < max && !closing);
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
      await round().catch(async (error: unknown) => {
        services.log.warn({ err: error }, 'relay round failed');
        await closeQueues();
      });
      if (!closing) await wakes.next(pollEveryMs);
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

/** Enqueues each scheduled job once per period. A period that another relay has enqueued already is left alone. */
export function createScheduler(services: Services): () => Promise<void> {
  const enqueuedPeriods = new Map<string, number>();

  return async function enqueueSchedules() {
    const now = services.clock.now().getTime();
    const begun = schedules
      .map((job) => ({ job, period: Math.floor(now / intervalOf(services, job)) }))
      .filter(({ job, period }) => enqueuedPeriods.get(job.name) !== period);
    if (begun.length === 0) return;

    await asPlatform(services.context(), 'schedules belong to no tenant', async (ctx) => {
      for (const { job, period } of begun) enqueue(ctx, job, { period });
    });
    for (const { job, period } of begun) enqueuedPeriods.set(job.name, period);
  };
}

function intervalOf(services: Services, { everyMs }: ScheduledJob): number {
  return everyMs === 'sweep' ? services.config.settings.sweepIntervalMs : everyMs;
}

/** Tickers live in Redis alone, so each round puts back what a wipe took. */
async function upsertTickers(queues: RelayQueues): Promise<void> {
  for (const { job, everyMs } of tickers) {
    await queues.get(job.queue)?.upsertJobScheduler(
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
