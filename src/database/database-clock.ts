import { type Clock, clocksAgreeWithinMs, systemClock } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import type { Log } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import type { Execute } from '#src/outbox/job-state.ts';

/** PostgreSQL's time, carried on by this machine's monotonic clock: the same time in every process. */
export interface DatabaseClock extends Clock {
  /**
   * Measure now, and again every half a minute. Until then it is this machine's time. Throws when PostgreSQL is away.
   */
  start(): Promise<void>;
  stop(): void;
}

export interface DatabaseClockOptions {
  readonly execute: Execute;
  readonly log: Log;
  readonly machineClock?: Clock | undefined;
  readonly measureEveryMs?: number;
}

const samplesPerMeasurement = 5;

/** Once it has started, a step of the machine's clock does not matter: the monotonic clock takes none. */
export function createDatabaseClock({
  execute,
  log,
  machineClock = systemClock,
  measureEveryMs = seconds(30),
}: DatabaseClockOptions): DatabaseClock {
  let measured: Clock | undefined;
  let timer: NodeJS.Timeout | undefined;
  const logSteps = createStepLog(log);

  async function measure(): Promise<void> {
    measured = await measureDatabaseTime(execute);
    logSteps({ postgresql: measured, machine: machineClock });
  }

  return {
    now: () => (measured ? measured.now() : machineClock.now()),
    async start() {
      await measure();
      timer = setInterval(() => {
        measure().catch((error: unknown) =>
          log.warn({ err: error }, 'the clock was not measured: it runs on from its last measurement'),
        );
      }, measureEveryMs);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}

/** Logs which clocks were set to another time since the last call: all that is dated by them is off by as much. */
function createStepLog(log: Log): (clocks: Readonly<Record<string, Clock>>) => void {
  const aheadMsOf = new Map<string, number>();
  return (clocks) => {
    for (const [name, clock] of Object.entries(clocks)) {
      const aheadMs = clock.now().getTime() - performance.now();
      const stepMs = Math.round(aheadMs - (aheadMsOf.get(name) ?? aheadMs));
      if (Math.abs(stepMs) > clocksAgreeWithinMs) log.warn({ clock: name, stepMs }, 'a clock was set to another time');
      aheadMsOf.set(name, aheadMs);
    }
  };
}

/**
 * Measure PostgreSQL's clock as NTP does: its time is taken to be that of the middle of the round trip, and the
 * shortest of several round trips is believed. The error is at most half of that trip, so one that takes too long is an
 * error: two processes could be further apart than `clocksAgreeWithinMs`.
 */
export async function measureDatabaseTime(execute: Execute): Promise<Clock> {
  let shortest = { tripMs: Infinity, monotonicZeroMs: 0 };
  for (let sample = 0; sample < samplesPerMeasurement; sample += 1) {
    const startedAt = performance.now();
    const [row] = await execute<{ at: number }>(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as at`);
    const tripMs = performance.now() - startedAt;
    if (row && tripMs < shortest.tripMs) {
      shortest = { tripMs, monotonicZeroMs: row.at - (startedAt + tripMs / 2) };
    }
  }
  if (shortest.tripMs > clocksAgreeWithinMs) {
    throw new Error(
      `PostgreSQL took ${Math.round(shortest.tripMs)} ms to return its time, too long to set a clock by it.`,
    );
  }
  return { now: () => new Date(shortest.monotonicZeroMs + performance.now()) };
}
