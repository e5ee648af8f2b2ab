import { randomUUID } from 'node:crypto';

import type { Clock } from '#src/lib/clock.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import type { Log } from '#src/lib/log.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';
import type { Metrics } from './metrics.ts';
import type { RedisConnection } from './redis.ts';

/**
 * The counters of all processes, summed in Redis. Behind a router a scrape reaches any one web process, and no worker
 * at all, so each process adds its counts there, and any web process reports the sum.
 *
 * Redis may be wiped: counters then restart at zero, which Prometheus handles.
 */
export interface SharedMetrics {
  /** Add new counts every few seconds, and record that this process runs. */
  start(): void;
  /** `undefined` while Redis is away. */
  read(): Promise<SharedNumbers | undefined>;
  /** What runs, without reporting anything of this process. `undefined` while Redis is away. */
  readProcesses(): Promise<ProcessState[] | undefined>;
  /** Add the remaining counts, and record that this process has ended. */
  close(): Promise<void>;
}

export interface SharedNumbers {
  readonly series: ReadonlyMap<string, number>;
  readonly processes: readonly ProcessState[];
}

/**
 * A process that runs, as it was a few seconds ago: its name (`worker-labels`), and for how many stores a provider's
 * circuit is open here.
 */
export type ProcessState = Static<typeof ProcessState>;
const ProcessState = Type.Object({
  process: Type.String(),
  residentBytes: Type.Number(),
  openCircuits: Type.Record(Type.String(), Type.Number()),
  at: Type.Number(),
});

/** Whether a process does the work of this type of process: a `worker` does that of all the others. */
export const worksAs =
  (type: string) =>
  ({ process }: ProcessState): boolean =>
    process === type || process === 'worker';

export interface SharedMetricsOptions {
  readonly redis: RedisConnection;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly process: string;
  readonly openCircuits: () => Record<string, number>;
}

// One hash tag: both are changed in one transaction.
const seriesKey = '{metrics}:series';
const processesKey = '{metrics}:processes';
const everyMs = seconds(5);
/** A process that has not reported for this long no longer runs. */
const silentMs = seconds(20);
const staleMs = minutes(10);

export function createSharedMetrics({
  redis,
  metrics,
  clock,
  log,
  process: name,
  openCircuits,
}: SharedMetricsOptions): SharedMetrics {
  const id = randomUUID();
  let reported = new Map<string, number>();
  let reporting: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** One report at a time: two concurrent ones would add the same counts twice. */
  function report(): Promise<void> {
    reporting = reporting
      .then(addUp)
      .catch((error: unknown) => log.debug({ err: error }, 'metrics could not be shared'));
    return reporting;
  }

  async function addUp(): Promise<void> {
    if (redis.status !== 'ready') return;
    const now = await metrics.series();
    const changes = redis.multi();
    for (const [series, value] of now) {
      const before = reported.get(series);
      // A new series is reported even if it is zero: a histogram needs its empty buckets, too.
      if (value !== before) changes.hincrbyfloat(seriesKey, series, value - (before ?? 0));
    }
    const state = {
      process: name,
      residentBytes: process.memoryUsage.rss(),
      openCircuits: openCircuits(),
      at: clock.now().getTime(),
    };
    changes.hset(processesKey, id, JSON.stringify(state));
    await changes.exec();
    reported = now;
  }

  async function readProcesses(): Promise<ProcessState[]> {
    const now = clock.now().getTime();
    const states = Object.entries(await redis.hgetall(processesKey)).map(([id, text]) => ({ id, state: parse(text) }));
    const stale = states.filter(({ state }) => !state || state.at < now - staleMs).map(({ id }) => id);
    if (stale.length > 0) await redis.hdel(processesKey, ...stale);
    return states.flatMap(({ state }) => (state && state.at >= now - silentMs ? [state] : []));
  }

  async function readNumbers(): Promise<SharedNumbers> {
    const [series, processes] = await Promise.all([redis.hgetall(seriesKey), readProcesses()]);
    return { series: new Map(Object.entries(series).map(([name, value]) => [name, Number(value)])), processes };
  }

  async function unlessAway<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    if (redis.status !== 'ready') return undefined;
    try {
      return await read();
    } catch (error) {
      log.debug({ err: error }, 'shared metrics could not be read');
      return undefined;
    }
  }

  return {
    start() {
      timer = setInterval(() => void report(), everyMs);
      timer.unref();
      redis.once('ready', () => void report());
    },
    async read() {
      await report();
      return unlessAway(readNumbers);
    },
    readProcesses: () => unlessAway(readProcesses),
    async close() {
      clearInterval(timer);
      if (!timer) return;
      await report();
      if (redis.status === 'ready') await redis.hdel(processesKey, id).catch(() => undefined);
    },
  };
}

function parse(text: string): ProcessState | undefined {
  const state: unknown = JSON.parse(text);
  return fits(ProcessState, state) ? state : undefined;
}
