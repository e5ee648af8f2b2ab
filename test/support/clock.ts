import type { Clock } from '#src/lib/clock.ts';

/** A clock that goes on by itself and can be moved. */
export interface TestClock extends Clock {
  /** Let this much time pass at once. */
  pass(milliseconds: number): void;
}

export function createTestClock(): TestClock {
  let passed = 0;
  return {
    now: () => new Date(Date.now() + passed),
    pass(milliseconds) {
      passed += milliseconds;
    },
  };
}
