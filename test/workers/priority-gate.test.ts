import test from 'ava';

import { PriorityGate, watchThread } from '#workers/runtime/priority-gate.ts';

/** Request a turn, and observe whether it has come. */
function request(priorityGate: PriorityGate) {
  const turn = {
    come: false,
    end: priorityGate.enter().then((end) => {
      turn.come = true;
      return end;
    }),
  };
  return turn;
}

const aTurnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

test('an idle process starts every job at once', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => false });
  const turns = Array.from({ length: 40 }, () => request(priorityGate));
  await aTurnOfTheLoop();
  t.true(turns.every(({ come }) => come));
  for (const turn of turns) (await turn.end)();
});

test('in a busy process, jobs of other queues start in their order as jobs end', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => true, beginningMs: 3_600_000 });
  const turns = Array.from({ length: 4 }, () => request(priorityGate));
  await aTurnOfTheLoop();
  t.deepEqual(
    turns.map(({ come }) => come),
    [true, true, false, false],
  );

  const end = await turns[1]?.end;
  end?.();
  end?.();
  await aTurnOfTheLoop();
  t.deepEqual(
    turns.map(({ come }) => come),
    [true, true, true, false],
    'Who ends twice makes room once.',
  );
  for (const turn of [turns[0], turns[2], turns[3]]) (await turn?.end)?.();
});

test('a job that waits or takes long does not keep others from starting', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => true, beginningMs: 1 });
  const turns = Array.from({ length: 5 }, () => request(priorityGate));
  await Promise.all(turns.map(({ end }) => end));
  t.true(
    turns.every(({ come }) => come),
    'None of them has ended.',
  );
});

test('a thread without idle time is measured as busy', (t) => {
  const isBusy = watchThread();
  t.false(isBusy());
  const until = performance.now() + 30;
  while (performance.now() < until);
  t.true(isBusy());
});
