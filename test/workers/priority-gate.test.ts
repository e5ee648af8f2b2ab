import test from 'ava';

import { PriorityGate, watchThread } from '#workers/runtime/priority-gate.ts';

/** Ask for a turn, and tell whether it has come. */
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

test('A process that has time to spare begins whatever there is at once', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => false });
  const turns = Array.from({ length: 40 }, () => request(priorityGate));
  await aTurnOfTheLoop();
  t.true(turns.every(({ come }) => come));
  for (const turn of turns) (await turn.end)();
});

test('In a process that is busy, what gives way begins as others end, in its order', async (t) => {
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

test('A thread that does nothing but work is seen to be busy', (t) => {
  const isBusy = watchThread();
  t.false(isBusy());
  const until = performance.now() + 30;
  while (performance.now() < until);
  t.true(isBusy());
});
