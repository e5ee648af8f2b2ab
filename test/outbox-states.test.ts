import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';

import { readConfig } from '#src/config.ts';
import { brokenConstraint } from '#src/database/transact.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { readJobStates } from '#src/outbox/queue-states.ts';
import { createServices, type Services } from '#src/services.ts';
import { createTestClock, type TestClock } from '#test/support/clock.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment, timeouts } from '#test/support/environment.ts';
import { type Death, type Ending, OutboxMachine } from '#test/support/outbox-machine.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<{
  services: Services;
  clock: TestClock;
  machine: OutboxMachine;
  close(): Promise<void>;
}>;

test.before(async (t) => {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const clock = createTestClock();
  const config = readConfig(testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url }));
  const services = await createServices(config, 'test', { clock, log: silentLog, timeouts, ports: {} });
  await until(() => services.redis.status === 'ready', { what: 'Redis' });
  const machine = new OutboxMachine(services, { ...services.context(), tenant: await buildTenant(services) }, clock);
  const close = async () => {
    await machine.disconnect();
    await services.close();
    await database.drop();
  };
  t.context = { services, clock, machine, close };
});
test.after.always((t) => t.context.close());

const keys = ['a', 'b', 'c'];
const key = fc.constantFrom(...keys);
const ending = fc.constantFrom<Ending>('done', 'snooze', 'retry', 'fail', 'fail', 'late-error');
const death = fc.constantFrom<Death>('never', 'never', 'never', 'after-start', 'before-queue');

/** Each step that relays, workers, operators, the time and failures can take; what happens often is drawn often. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('enqueue' as const), key, inMs: fc.constantFrom(0, 0, minutes(2)) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('relay' as const),
      which: fc.constantFrom('due' as const, 'again' as const),
      then: fc.constantFrom('add' as const, 'add' as const, 'add' as const, 'die' as const, 'return' as const),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('execute' as const), ending, death, isOrphan: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('freeze' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('thaw' as const),
      ending: fc.constantFrom<Ending>('nothing', 'fail', 'retry', 'snooze'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('retry' as const), key: fc.option(key, { nil: undefined }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wipe' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(seconds(31), minutes(11)) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function take(machine: OutboxMachine, clock: TestClock, step: Step): Promise<unknown> {
  switch (step.do) {
    case 'enqueue':
      return machine.enqueue(step.key, step.inMs);
    case 'relay':
      return machine.relay(step.which, step.then);
    case 'execute':
      return machine.execute(step.ending, step.death, step);
    case 'freeze':
      return machine.freeze();
    case 'thaw':
      return machine.thaw(step.ending);
    case 'retry':
      return machine.retry(step.key);
    case 'close':
      return machine.close(step.key);
    case 'wipe':
      return machine.wipeRedis();
    case 'pass':
      return clock.pass(step.ms);
  }
}

const isOpen = (state: string | undefined) => state === 'due' || state === 'relayed';

/** What a step may make of a job's state. Nothing leaves `finished`, and only an operator leaves `failed`. */
function mayBecome(step: Step, before: string | undefined, after: string | undefined): boolean {
  if (before === after) return true;
  if (before === undefined) return step.do === 'enqueue' && after === 'due';
  if (before === 'failed')
    return (step.do === 'retry' && after === 'due') || (step.do === 'close' && after === 'finished');
  if (before === 'finished') return false;
  if (step.do === 'execute' || step.do === 'thaw') return after === 'finished' || after === 'failed';
  return step.do === 'relay' && isOpen(after);
}

test.serial(
  'after any sequence of steps every job is in one state, none is lost, and none is counted or completed twice',
  async (t) => {
    const { services, clock, machine } = t.context;
    const statesOf = async () => new Map((await machine.rows()).map(({ key, state }) => [key, state]));

    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }),
        fc.boolean(),
        async (steps, isWipedAtEnd) => {
          await machine.clear();
          let before = await statesOf();
          for (const step of [
            { do: 'enqueue', key: 'a', inMs: 0 } as const,
            { do: 'relay', which: 'due', then: 'add' } as const,
            ...steps,
          ]) {
            const taken = await take(machine, clock, step);
            const after = await statesOf();
            if (step.do === 'thaw' && taken === true)
              t.deepEqual(after, before, 'a run that an operator no longer waits for changed a state');
            for (const key of keys) {
              if (!mayBecome(step, before.get(key), after.get(key)))
                throw new Error(`${key}: ${before.get(key)} → ${after.get(key)} by ${JSON.stringify(step)}`);
            }
            const counted = await readJobStates(services.execute, clock.now());
            const sum = (name: 'due' | 'later' | 'failed') => counted.reduce((total, state) => total + state[name], 0);
            const states = [...after.values()];
            t.is(sum('due') + sum('later'), states.filter(isOpen).length);
            t.is(sum('failed'), states.filter((state) => state === 'failed').length);
            before = after;
          }

          if (isWipedAtEnd) await machine.wipeRedis();
          // The longest that a relayed job is left to its queue; whatever a dead process held is executed again by
          // then.
          clock.pass(minutes(11));
          for (const which of ['due', 'again'] as const) await machine.relay(which, 'add');
          while (await machine.execute('done', 'never', { isOrphan: true }));
          while (await machine.execute('done', 'never'));
          const end = await statesOf();
          for (const [key, state] of before)
            t.is(end.get(key), isOpen(state) ? 'finished' : state, `${key} was ${state}`);
          for (const count of (await machine.outcomes()).values()) t.is(count, 1);
        },
      ),
      { numRuns: 60 },
    );
  },
);

test.serial('a retried job waits for a run of its own, however a run that began before the retry ends', async (t) => {
  const { machine } = t.context;
  const begin = async () => {
    await machine.clear();
    await machine.enqueue('a', 0);
    await machine.relay('due', 'add');
    await machine.freeze();
    await machine.execute('fail', 'never', { isOrphan: true });
    t.deepEqual(await machine.rows(), [{ key: 'a', state: 'failed' }]);
    await machine.retry('a');
  };
  for (const ending of ['nothing', 'fail', 'retry', 'snooze'] as const) {
    await begin();
    t.true(await machine.thaw(ending));
    t.deepEqual(await machine.rows(), [{ key: 'a', state: 'due' }], `${ending} before the retry is relayed`);

    await begin();
    await machine.relay('due', 'add');
    await machine.freeze();
    t.true(await machine.thaw(ending));
    t.deepEqual(await machine.rows(), [{ key: 'a', state: 'relayed' }], `${ending} while the retry runs`);
    t.false(await machine.thaw('nothing'));
    t.deepEqual(await machine.rows(), [{ key: 'a', state: 'finished' }]);
  }
});

test.serial('however a run ends, it changes the row of its own job alone, and none that has failed', async (t) => {
  const { services, clock, machine } = t.context;
  const rowOf = (key: string) =>
    services.execute<{ starts: number; first_started_at: Date }>(sql`
      select * from outbox where key = ${`${key}:test`}`);
  for (const ending of ['done', 'nothing', 'snooze', 'retry', 'fail', 'late-error'] as const) {
    await machine.clear();
    await machine.enqueue('died', 0);
    await machine.relay('due', 'add');
    await machine.execute('done', 'after-start');
    await machine.enqueue('ends', 0);
    await machine.relay('due', 'add');
    const [died, ends] = [await rowOf('died'), await rowOf('ends')];
    t.true(await machine.execute(ending, 'before-queue'));
    t.deepEqual(await rowOf('died'), died, ending);
    const ended = await rowOf('ends');
    t.notDeepEqual(ended, ends, ending);
    clock.pass(1);
    await machine.execute(ending === 'fail' ? 'fail' : 'snooze', 'never', { isOrphan: true });
    const [before, after] = [died[0], (await rowOf('died'))[0]];
    t.is(after?.starts, 0, 'a reported end forgets the deaths before it');
    t.deepEqual(after?.first_started_at, before?.first_started_at, 'but not since when it is tried');
    if (ending !== 'fail') continue;
    await machine.execute('done', 'never', { isOrphan: true });
    t.deepEqual(await rowOf('ends'), ended, 'its queue has it still');
  }
});

test.serial('the table rejects a job that is in no state or in two', async (t) => {
  const { services, machine } = t.context;
  await machine.clear();
  await machine.enqueue('a', hours(1));
  for (const change of [
    sql`next_relay_at = null`,
    sql`failed_at = now()`,
    sql`finished_at = now()`,
    sql`next_relay_at = null, finished_at = now(), failed_at = now()`,
  ]) {
    t.is(brokenConstraint(await t.throwsAsync(services.execute(sql`update outbox set ${change}`))), 'outbox_state');
  }
  t.deepEqual(await machine.rows(), [{ key: 'a', state: 'due' }]);
});
