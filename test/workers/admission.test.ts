import { setTimeout as pause } from 'node:timers/promises';

import test from 'ava';

import { type QueueName, queues } from '#jobs/queues.ts';
import { until } from '#test/support/until.ts';
import { FairShare, goesFirst, PriorityGate } from '#workers/runtime/admission.ts';

/** Request a turn, and observe whether it has come. */
function request(priorityGate: PriorityGate, tenantId = 'ten_1') {
  const turn = {
    come: false,
    end: priorityGate.enter(tenantId).then((end) => {
      turn.come = true;
      return end;
    }),
  };
  return turn;
}

const anIterationOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

test('a process that is idle starts twice as many jobs with each measurement', async (t) => {
  let busy = true;
  const come: number[] = [];
  const isBusy = () => {
    if (!busy) come.push(turns.filter((turn) => turn.come).length);
    return busy;
  };
  const priorityGate = new PriorityGate({ isBusy, beginningMs: 3_600_000, measureEveryMs: 1 });
  const turns = Array.from({ length: 40 }, () => request(priorityGate));
  busy = false;
  await Promise.all(turns.map(({ end }) => end));
  t.deepEqual(come, [2, 4, 8, 16, 32]);
  for (const turn of turns) (await turn.end)();
});

test('a process that was idle and is busy starts few jobs at once again', async (t) => {
  let busy = false;
  const priorityGate = new PriorityGate({ isBusy: () => busy, beginningMs: 3_600_000, measureEveryMs: 0 });
  const ends = await Promise.all(Array.from({ length: 40 }, () => request(priorityGate).end));
  busy = true;
  const later = Array.from({ length: 3 }, () => request(priorityGate));
  for (const end of ends.splice(1)) end();
  await anIterationOfTheLoop();
  t.deepEqual(
    later.map(({ come }) => come),
    [true, false, false],
    'beside the one that is still starting',
  );
  for (const end of ends) end();
  for (const turn of later) (await turn.end)();
});

test('a process in which nothing was starting for a moment starts few jobs at once again', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => false, beginningMs: 1, measureEveryMs: 20 });
  for (let measurement = 0; measurement < 8; measurement += 1) {
    await pause(25);
    (await request(priorityGate).end)();
  }
  await pause(25);
  const turns = Array.from({ length: 40 }, () => request(priorityGate));
  // No timer fires in between.
  for (let turn = 0; turn < 5; turn += 1) await undefined;
  t.is(turns.filter(({ come }) => come).length, 4);
  for (const turn of turns) (await turn.end)();
});

test('in a busy process, jobs of other queues start in their order as jobs end', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => true, beginningMs: 3_600_000 });
  const turns = Array.from({ length: 4 }, () => request(priorityGate));
  await anIterationOfTheLoop();
  t.deepEqual(
    turns.map(({ come }) => come),
    [true, true, false, false],
  );

  const end = await turns[1]?.end;
  end?.();
  end?.();
  await anIterationOfTheLoop();
  t.deepEqual(
    turns.map(({ come }) => come),
    [true, true, true, false],
    'Who ends twice makes room once.',
  );
  for (const turn of [turns[0], turns[2], turns[3]]) (await turn?.end)?.();
});

test('in a busy process a tenant that has few jobs running does not wait for those of another', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => true, beginningMs: 3_600_000 });
  const many = Array.from({ length: 10 }, () => request(priorityGate, 'ten_many'));
  const few = Array.from({ length: 3 }, () => request(priorityGate, 'ten_few'));
  const others = Array.from({ length: 2 }, () => request(priorityGate, 'ten_other'));
  const come = async () => {
    await anIterationOfTheLoop();
    return [many, few, others].map((turns) => turns.filter((turn) => turn.come).length);
  };
  t.deepEqual(await come(), [2, 2, 0], 'two of each, four of all');

  (await many[0]?.end)?.();
  t.deepEqual(await come(), [2, 2, 1], 'the next is of the tenant that has the fewest running');
  (await few[0]?.end)?.();
  t.deepEqual(await come(), [3, 2, 1], 'each has one running, and takes its turn');
  (await others[0]?.end)?.();
  t.deepEqual(await come(), [3, 2, 2]);
  for (const turn of [...many, ...few, ...others]) (await turn.end)();
  t.deepEqual(await come(), [10, 3, 2]);
});

test('in a busy process a steady stream of orders of others delays the jobs of a tenant and does not stop them', async (t) => {
  const come: number[] = [];
  const turns: ReturnType<typeof request>[] = [];
  const isBusy = () => {
    come.push(turns.filter((turn) => turn.come).length);
    priorityGate.enterFirst('ten_other');
    return true;
  };
  const priorityGate = new PriorityGate({ isBusy, beginningMs: 3_600_000, measureEveryMs: 1 });
  priorityGate.enterFirst('ten_other');
  for (let count = 0; count < 6; count += 1) turns.push(request(priorityGate));
  for (const { end } of turns) (await end)();
  t.true(come.length >= 5);
  for (const [index, count] of come.entries())
    t.true(count <= (come[index - 1] ?? 0) + 1, `one with each measurement: ${come.join()}`);
});

test('in a busy process jobs yield to the orders of other tenants, and not to those of their own', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => true, beginningMs: 3_600_000, measureEveryMs: 3_600_000 });
  priorityGate.enterFirst('ten_1');
  const own = Array.from({ length: 4 }, () => request(priorityGate));
  const others = Array.from({ length: 2 }, () => request(priorityGate, 'ten_2'));
  await anIterationOfTheLoop();
  t.deepEqual(
    [own, others].map((turns) => turns.filter(({ come }) => come).length),
    [2, 1],
  );
});

test('a job that has just come does not start before those that wait', async (t) => {
  const measureEveryMs = 5;
  const priorityGate = new PriorityGate({ isBusy: () => true, beginningMs: 3_600_000, measureEveryMs });
  priorityGate.enterFirst('ten_other');
  const turns = Array.from({ length: 2 }, () => request(priorityGate));
  // No timer fires before the next job has come.
  for (const since = performance.now(); performance.now() < since + 2 * measureEveryMs; );
  turns.push(request(priorityGate));
  for (let turn = 0; turn < 5; turn += 1) await undefined;
  t.deepEqual(
    turns.map(({ come }) => come),
    [true, true, false],
  );
});

test('in an idle process jobs do not wait while orders pass', async (t) => {
  for (const orders of ['ten_1', 'ten_other']) {
    const isBusy = () => {
      priorityGate.enterFirst(orders);
      return false;
    };
    const priorityGate = new PriorityGate({ isBusy, beginningMs: 3_600_000, measureEveryMs: 1 });
    priorityGate.enterFirst(orders);
    const turns = Array.from({ length: 40 }, () => request(priorityGate));
    await until(() => turns.every(({ come }) => come), { what: 'jobs of which none has ended' });
    t.pass();
  }
});

test('jobs yield to the orders of other tenants for a moment only', async (t) => {
  const priorityGate = new PriorityGate({ isBusy: () => true, beginningMs: 1, measureEveryMs: 3_600_000 });
  priorityGate.enterFirst('ten_other');
  await pause(2);
  const turns = Array.from({ length: 2 }, () => request(priorityGate));
  await anIterationOfTheLoop();
  t.true(turns.every(({ come }) => come));
});

for (const [queue, begins] of [
  ['payments', { ten_many: 8, ten_few: 1 }],
  ['labels', { ten_many: 4, ten_few: 1 }],
  ['emails', { ten_many: 2, ten_few: 1 }],
] as const satisfies readonly (readonly [QueueName, object])[])
  test(`in a busy process, so many jobs of ${queue} begin at once of a store with many and of one with few`, async (t) => {
    const fairShare = new FairShare(queues.labels.concurrency);
    const priorityGate = new PriorityGate({ isBusy: () => true, beginningMs: 3_600_000, measureEveryMs: 3_600_000 });
    const begun: Record<string, number> = {};
    const begin = async (tenantId: string) => {
      const admission = await fairShare.admit(tenantId);
      const isFirst = admission.admitted && goesFirst(queue, admission.running);
      if (isFirst) priorityGate.enterFirst(tenantId);
      else await priorityGate.enter(tenantId);
      begun[tenantId] = (begun[tenantId] ?? 0) + 1;
    };
    for (const tenantId of [...Array<string>(8).fill('ten_many'), 'ten_few']) void begin(tenantId);
    await anIterationOfTheLoop();
    t.deepEqual(begun, begins);
  });

/** Asks for admission of many jobs, and observes which were admitted. */
function observe(fairShare: FairShare) {
  const admitted: { release(): void }[] = [];
  const sentAway: number[] = [];
  const admit = async (tenantId: string) => {
    const admission = await fairShare.admit(tenantId);
    if (admission.admitted) admitted.push(admission);
    else sentAway.push(admission.waitMs);
  };
  const admitMany = (tenantId: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => admit(tenantId)));
  return { admitted, sentAway, admitMany };
}

test('a tenant runs half of the jobs at once, 200 wait for their turn, and the others are sent away', async (t) => {
  const fairShare = new FairShare(8);
  const { admitted, sentAway, admitMany } = observe(fairShare);
  const many = admitMany('ten_many', 206);
  await anIterationOfTheLoop();
  t.deepEqual([admitted.length, sentAway.length], [4, 2]);
  t.true(sentAway.every((waitMs) => waitMs >= 25 && waitMs <= 1000));
  t.is(fairShare.places, 208, 'so that the process goes on to take the jobs of others');

  void admitMany('ten_other', 4);
  await anIterationOfTheLoop();
  t.is(admitted.length, 8, 'the other half is for others');
  admitted[0]?.release();
  await anIterationOfTheLoop();
  t.is(admitted.length, 9, 'one that waited has begun');
  await many;
  t.deepEqual([admitted.length, sentAway.length], [9, 201], 'after a while those that still wait are sent away');
});

test('a process that stops sends away the jobs that wait for their turn', async (t) => {
  const fairShare = new FairShare(8);
  const { admitted, sentAway, admitMany } = observe(fairShare);
  const many = admitMany('ten_1', 10);
  await anIterationOfTheLoop();
  t.deepEqual([admitted.length, sentAway.length], [4, 0]);
  fairShare.close();
  await many;
  await admitMany('ten_1', 1);
  t.deepEqual([admitted.length, sentAway.length], [4, 7]);
});

test('jobs that were sent away delay the next one only until their own time has come', async (t) => {
  const fairShare = new FairShare(8);
  const { sentAway, admitMany } = observe(fairShare);
  await admitMany('ten_1', 4);
  fairShare.close();
  await admitMany('ten_1', 20);
  const longestMs = Math.max(...sentAway);
  await pause(longestMs + 50);
  await admitMany('ten_2', 1);
  await admitMany('ten_1', 1);
  t.true((sentAway.at(-1) ?? 0) < longestMs / 2, `${sentAway.at(-1)} of ${longestMs} ms`);
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
