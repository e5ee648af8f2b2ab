import test, { type ExecutionContext } from 'ava';
import { SharedThread } from '#test/support/threads/shared-thread.ts';

type Declared = (t: ExecutionContext) => unknown;

/** AVA as far as a thread needs it: it begins all tests at once, tears each down, and ends with the `after` hooks. */
function fakeAva() {
  const tests = new Map<string, Declared>();
  const skipped: string[] = [];
  const ends: Declared[] = [];
  const ava = Object.assign((title: string, implementation: unknown) => tests.set(title, implementation as Declared), {
    skip: (title: string) => skipped.push(title),
    after: { always: (_title: string, end: Declared) => ends.push(end) },
  });
  const runOne = async (title: string, run: Declared) => {
    const teardowns: (() => unknown)[] = [];
    const t = {
      context: {},
      timeout: () => undefined,
      teardown: (step: () => unknown) => teardowns.unshift(step),
    } as unknown as ExecutionContext;
    const [outcome] = await Promise.allSettled([run(t)]);
    for (const step of teardowns) await step();
    return [title, outcome.status === 'rejected' ? String(outcome.reason) : 'passed'] as const;
  };
  return {
    skipped,
    ava: ava as unknown as Parameters<SharedThread['declareTo']>[0],
    async run() {
      const outcomes = Object.fromEntries(await Promise.all([...tests].map(([title, run]) => runOne(title, run))));
      const [end] = await Promise.allSettled(ends.map((run) => run({} as ExecutionContext)));
      return { outcomes, end: end?.status };
    },
  };
}

test('a SharedThread runs one file after the other, each with its own hooks, serial tests first', async (t) => {
  const steps: string[] = [];
  const thread = new SharedThread();
  for (const path of ['one', 'two']) {
    const own = thread.testOf(path);
    const step = (name: string) => async () => {
      await Promise.resolve();
      steps.push(`${path} ${name}`);
    };
    own.before(step('before'));
    own.beforeEach(step('before each'));
    own.afterEach.always(step('after each'));
    own.after.always(step('after'));
    own('any', (each) => {
      each.teardown(step('torn down'));
      return step('any')();
    });
    own.serial('serial', step('serial'));
    own.skip('left out', () => undefined);
  }
  const { ava, skipped, run } = fakeAva();
  thread.declareTo(ava);

  t.deepEqual(await run(), {
    outcomes: { 'one › serial': 'passed', 'one › any': 'passed', 'two › serial': 'passed', 'two › any': 'passed' },
    end: 'fulfilled',
  });
  const ofEach = [
    'before',
    'before each',
    'serial',
    'after each',
    'before each',
    'any',
    'torn down',
    'after each',
    'after',
  ];
  t.deepEqual(
    steps,
    ['one', 'two'].flatMap((path) => ofEach.map((name) => `${path} ${name}`)),
  );
  t.deepEqual(skipped, ['one › left out', 'two › left out']);
});

test('a SharedThread gives each test a copy of what its file prepared', async (t) => {
  const thread = new SharedThread();
  const own = thread.testOf('one');
  const seen: unknown[] = [];
  own.before((each) => void (each.context = { shared: 1 }));
  for (const title of ['a', 'b']) {
    own(title, (each) => {
      seen.push({ ...(each.context as object) });
      Object.assign(each.context as object, { [title]: true });
    });
  }
  const { ava, run } = fakeAva();
  thread.declareTo(ava);
  await run();
  t.deepEqual(seen, [{ shared: 1 }, { shared: 1 }]);
});

test('a SharedThread knows which of its tests have begun and not ended', async (t) => {
  const thread = new SharedThread();
  const seen: (readonly string[])[] = [];
  for (const path of ['one', 'two']) thread.testOf(path)('a', () => void seen.push(thread.running));
  const { ava, run } = fakeAva();
  thread.declareTo(ava);
  t.deepEqual(thread.running, []);
  await run();
  t.deepEqual(seen, [['one › a'], ['two › a']]);
  t.deepEqual(thread.running, []);
});

test('a SharedThread fails a test with its hook, and at its end where a file did not end well', async (t) => {
  const thread = new SharedThread();
  const failing = (message: string) => () => Promise.reject(new Error(message));
  const unprepared = thread.testOf('unprepared');
  unprepared.before(failing('no database'));
  unprepared('a', () => undefined);
  const unended = thread.testOf('unended');
  unended.after.always(failing('still open'));
  unended('a', failing('wrong'));
  thread.testOf('next')('a', () => undefined);
  const { ava, run } = fakeAva();
  thread.declareTo(ava);

  t.deepEqual(await run(), {
    outcomes: { 'unprepared › a': 'Error: no database', 'unended › a': 'Error: wrong', 'next › a': 'passed' },
    end: 'rejected',
  });
});
