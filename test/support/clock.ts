import { type Clock, fromNow } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';

/** A clock that runs and can be moved. */
export interface TestClock extends Clock {
  /** Let this much time pass at once. */
  pass(milliseconds: number): void;
  /** From now on it stands still except for `pass`, however long the machine takes, until `go` or the test's end. */
  stop(): void;
  go(): void;
  /** Do something while it stands still. */
  standStill<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Also while a test lets libraries read another time: the services take theirs from PostgreSQL. */
const machineNow = Date.now;

/** @param assertMovable throws while the clock must be neither moved nor stopped */
export function createTestClock(assertMovable: () => void = () => undefined): TestClock {
  let passed = 0;
  let stoppedAt: number | undefined;
  const stop = () => {
    assertMovable();
    stoppedAt = machineNow();
  };
  const go = () => {
    stoppedAt = undefined;
  };
  return {
    stop,
    go,
    now: () => new Date((stoppedAt ?? machineNow()) + passed),
    pass(milliseconds) {
      assertMovable();
      passed += milliseconds;
    },
    async standStill(work) {
      stop();
      try {
        return await work();
      } finally {
        go();
      }
    },
  };
}

/** The same context in a process whose clock is five minutes behind. */
export const behind = <Of extends { readonly clock: Clock }>(ctx: Of): Of => ({
  ...ctx,
  clock: { now: () => fromNow(ctx.clock, -minutes(5)) },
});
