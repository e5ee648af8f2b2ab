import { setTimeout as wait } from 'node:timers/promises';

import test from 'ava';
import { createDatabaseClock, measureDatabaseTime } from '#src/database/database-clock.ts';
import { clocksAgreeWithinMs } from '#src/lib/clock.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import type { Execute } from '#src/outbox/job-state.ts';
import { createTestClock } from '#test/support/clock.ts';
import { until } from '#test/support/until.ts';

/** A PostgreSQL whose clock is ahead by this much, and whose nth response is delayed on its way back. */
function databaseAhead(aheadMs: number, delaysMs: readonly number[] = []): Execute {
  let answers = 0;
  return async <Row>() => {
    const row = { at: Date.now() + aheadMs };
    await wait(delaysMs[answers++] ?? 0);
    return [row] as Row[];
  };
}

const isNear = (measured: number, expected: number, withinMs = 5000) => Math.abs(measured - expected) < withinMs;

test('measureDatabaseTime believes the shortest round trip', async (t) => {
  const time = await measureDatabaseTime(databaseAhead(minutes(3), [900, 900, 0, 900, 900]));
  t.true(isNear(time.now().getTime(), Date.now() + minutes(3), 400), 'the error of a long trip is half of it');
});

test('measureDatabaseTime fails where every round trip takes so long that clocks could disagree', async (t) => {
  const slow = clocksAgreeWithinMs + 50;
  await t.throwsAsync(measureDatabaseTime(databaseAhead(0, [slow, slow, slow, slow, slow])), {
    message: /too long to set a clock/,
  });
});

test('a database clock is the same time on machines whose clocks are hours apart', async (t) => {
  for (const skewMs of [-hours(2), 0, hours(2)]) {
    const machineClock = createTestClock();
    machineClock.pass(skewMs);
    const clock = createDatabaseClock({ execute: databaseAhead(minutes(1)), log: silentLog, machineClock });
    t.true(isNear(clock.now().getTime(), Date.now() + skewMs), "before it starts it is the machine's");
    await clock.start();
    clock.stop();
    t.true(isNear(clock.now().getTime(), Date.now() + minutes(1)));
  }
});

test("a database clock is not moved by a step of the machine's clock, also while PostgreSQL is away", async (t) => {
  let failures = 0;
  let isAway = false;
  const ahead = databaseAhead(minutes(1));
  const execute: Execute = async (statement) => {
    if (!isAway) return ahead(statement);
    failures += 1;
    throw new Error('Connection terminated');
  };
  const machineClock = createTestClock();
  const clock = createDatabaseClock({ execute, log: silentLog, machineClock, measureEveryMs: 20 });
  t.teardown(clock.stop);
  await clock.start();
  isAway = true;
  for (const stepMs of [hours(3), -hours(5)]) {
    machineClock.pass(stepMs);
    t.true(isNear(clock.now().getTime(), Date.now() + minutes(1)));
  }
  await until(() => failures >= 3);
  t.true(isNear(clock.now().getTime(), Date.now() + minutes(1)));
});

test('a database clock logs a step of either clock once, and nothing while both go on', async (t) => {
  let aheadMs = 0;
  let measurements = 0;
  const execute: Execute = async (statement) => {
    measurements += 1;
    return databaseAhead(aheadMs)(statement);
  };
  const machineClock = { aheadMs: 0, now: () => new Date(Date.now() + machineClock.aheadMs) };
  const logged: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => logged.push(fields) };
  const clock = createDatabaseClock({ execute, log, machineClock, measureEveryMs: 20 });
  t.teardown(clock.stop);
  await clock.start();
  const measureAgain = async () => {
    const before = measurements;
    await until(() => measurements >= before + 20);
  };
  await measureAgain();
  t.deepEqual(logged, []);

  aheadMs = hours(1);
  await measureAgain();
  machineClock.aheadMs = -minutes(5);
  await measureAgain();
  t.deepEqual(
    logged.map((fields) =>
      'stepMs' in fields ? { ...fields, stepMs: Math.round(Number(fields.stepMs) / 1000) } : fields,
    ),
    [
      { clock: 'postgresql', stepMs: 3600 },
      { clock: 'machine', stepMs: -300 },
    ],
  );
});

test('a database clock follows when PostgreSQL moves to a machine with another time', async (t) => {
  let aheadMs = 0;
  const execute: Execute = async (statement) => databaseAhead(aheadMs)(statement);
  const clock = createDatabaseClock({ execute, log: silentLog, measureEveryMs: 20 });
  t.teardown(clock.stop);
  await clock.start();
  aheadMs = minutes(5);
  await until(() => isNear(clock.now().getTime(), Date.now() + minutes(5)));
  t.pass();
});

test('a database clock does not start where PostgreSQL is away', async (t) => {
  const clock = createDatabaseClock({
    execute: async () => Promise.reject(new Error('Connection terminated')),
    log: silentLog,
  });
  t.teardown(clock.stop);
  await t.throwsAsync(clock.start(), { message: 'Connection terminated' });
});
