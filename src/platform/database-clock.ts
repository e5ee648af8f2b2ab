import { type Clock, clocksAgreeWithinMs, fromNow, systemClock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import type { Log } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import type { Run } from '#src/outbox/runs.ts';

/** This machine's clock, corrected by how far PostgreSQL's is from it: the same time in every process. */
export interface DatabaseClock extends Clock {
  /** Measure now, and again every half a minute. Until then it is this machine's time. Throws when PostgreSQL is away. */
  start(): Promise<void>;
  stop(): void;
}

export interface DatabaseClockOptions {
  readonly run: Run;
  readonly log: Log;
  readonly machineClock?: Clock | undefined;
  readonly measureEveryMs?: number;
}

const samplesPerMeasurement = 5;

export function createDatabaseClock(
  { run, log, machineClock = systemClock, measureEveryMs = seconds(30) }: DatabaseClockOptions,
): DatabaseClock {
  let offsetMs = 0;
  let timer: NodeJS.Timeout | undefined;

  async function measure(): Promise<void> {
    offsetMs = await measureOffset(run, machineClock);
  }

  return {
    now: () => fromNow(machineClock, offsetMs),
    async start() {
      await measure();
      timer = setInterval(() => {
        measure().catch((error: unknown) => log.warn({ err: error, offsetMs }, 'the clock was not measured: it keeps its last offset'));
      }, measureEveryMs);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}

/**
 * By how many milliseconds PostgreSQL's clock is ahead of this machine's, as NTP measures it: its time is taken to be
 * that of the middle of the round trip, and the shortest of several round trips is believed. The error is at most half
 * of that trip, so one that takes too long is an error: two processes could be further apart than `clocksAgreeWithinMs`.
 */
export async function measureOffset(run: Run, machineClock: Clock = systemClock): Promise<number> {
  let shortest = { tripMs: Infinity, offsetMs: 0 };
  for (let sample = 0; sample < samplesPerMeasurement; sample += 1) {
    const sentAt = machineClock.now().getTime();
    const startedAt = performance.now();
    const [row] = await run<{ at: number }>(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as at`);
    const tripMs = performance.now() - startedAt;
    if (row && tripMs < shortest.tripMs) shortest = { tripMs, offsetMs: row.at - (sentAt + tripMs / 2) };
  }
  if (shortest.tripMs > clocksAgreeWithinMs) {
    throw new Error(`PostgreSQL took ${Math.round(shortest.tripMs)} ms to return its time, too long to set a clock by it.`);
  }
  return Math.round(shortest.offsetMs);
}
