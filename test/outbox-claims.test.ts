import anyTest, { type TestFn } from 'ava';

import { jobNames as known } from '#jobs/index.ts';
import { purchaseLabel } from '#jobs/labels.ts';
import type { QueueName } from '#jobs/queues.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type ClaimedJob, claimDue, claimStale, readFailed, returnClaims } from '#src/outbox/claim-jobs.ts';
import { closeFailed, type Execute, recordFailed, retryFailed } from '#src/outbox/job-state.ts';
import { readJobStates } from '#src/outbox/queue-states.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { explainStatements, leaveUnanalyzed } from '#test/support/explain-statements.ts';
import { fillOutbox } from '#test/support/fill-outbox.ts';
import { startRound } from '#test/support/job-attempts.ts';
import { only } from '#test/support/only.ts';

// Claims are of all stores.
const test = (anyTest as TestFn<TestContext>).serial;
useContext(anyTest as TestFn<TestContext>);
test.beforeEach(({ context: { services } }) => services.execute(sql`delete from outbox`));

const limits = { perQueue: 12, perStore: 5, reserved: 2 };

const claim = ({ services, clock }: TestContext, given = limits) =>
  claimDue(services.execute, known, clock.now(), given);

const fill = ({ services, clock }: TestContext, store: string | null, count: number, ms = -hours(1)) =>
  fillOutbox(services, { store, count, dueAt: fromNow(clock, ms) });

function countBy(claims: readonly ClaimedJob[], of: keyof ClaimedJob): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(claims, (job) => String(job[of]))].map(([key, some]) => [key, some.length]),
  );
}

const finish = ({ services, clock }: TestContext, claims: readonly ClaimedJob[]) =>
  services.execute(sql`
    update outbox set finished_at = ${clock.now()}, next_relay_at = null
    where id = any(${claims.map(({ id }) => id)})`);

test('claimDue divides the room of a queue among the stores, and the first job of each comes first', async (t) => {
  await fill(t.context, 'ten_many', 40);
  await fill(t.context, 'ten_few', 3, -minutes(2));
  await fill(t.context, null, 2, -minutes(1));
  await fill(t.context, 'ten_later', 3, minutes(1));

  const { claims, hasMore } = await claim(t.context);
  t.deepEqual(countBy(claims, 'tenantId'), { ten_many: 4, ten_few: 3, null: 2 });
  t.deepEqual(
    claims.map(({ priority }) => priority),
    [1, 1, 1, 2, 2, 2, 3, 3, 4],
  );
  t.true(hasMore);
});

test('a job that is left because its queue is full does not wait for a relay, and does once jobs have finished', async (t) => {
  const { services, clock } = t.context;
  const isWaiting = async () => {
    const states = await readJobStates(services.execute, clock.now(), limits);
    return states.some(({ oldestUnrelayedAt }) => oldestUnrelayedAt !== null);
  };
  for (const counts of [[40], [4, 4, 4, 4, 4], [40, 3, 1]]) {
    await services.execute(sql`delete from outbox`);
    for (const [index, count] of counts.entries()) await fill(t.context, `ten_${index}`, count);
    t.true(await isWaiting(), `${counts} before the claim`);
    const { claims, hasMore } = await claim(t.context);
    t.true(hasMore);
    t.false(await isWaiting(), `${counts} after the claim`);
    await finish(t.context, claims);
    t.true(await isWaiting(), `${counts} after the claimed ones have finished`);
  }
});

test('a job of another release waits for that, and neither for a relay nor for a worker', async (t) => {
  const { services, clock } = t.context;
  await fillOutbox(services, { store: 'ten_1', job: 'webhooks.new', count: 1, dueAt: fromNow(clock, -minutes(5)) });
  const ofOtherRelease = { job: 'webhooks.new', due: 0, oldestDueAt: null, oldestUnrelayedAt: null, later: 1 };
  t.like(await readJobStates(services.execute, clock.now(), limits), only(ofOtherRelease));
  await claimDue(services.execute, ['webhooks.new'], clock.now());
  t.like(await readJobStates(services.execute, clock.now(), limits), only(ofOtherRelease), 'by a relay that knows it');
});

test('claimDue leaves what exceeds the limit of a store until its jobs have finished', async (t) => {
  await fill(t.context, 'ten_many', 9);
  const { claims } = await claim(t.context);
  t.is(claims.length, limits.perStore);
  t.deepEqual(await claim(t.context), { claims: [], hasMore: true });

  await finish(t.context, claims.slice(0, 2));
  const next = await claim(t.context);
  t.deepEqual(
    next.claims.map(({ priority }) => priority),
    [4, 5],
  );
  t.true(next.hasMore);

  await finish(t.context, [...claims, ...next.claims]);
  const last = await claim(t.context);
  t.is(last.claims.length, 2);
  t.false(last.hasMore);
});

test('claimDue adds a few jobs of a store although others have filled the queue', async (t) => {
  for (const store of ['ten_1', 'ten_2', 'ten_3']) await fill(t.context, store, 9);
  t.is((await claim(t.context)).claims.length, limits.perQueue);

  await fill(t.context, 'ten_4', 9, -minutes(1));
  const claimed = [];
  for (let round = 0; round < 4; round += 1) claimed.push(...(await claim(t.context)).claims);
  t.deepEqual(countBy(claimed, 'tenantId'), { ten_4: limits.reserved });
});

test('claimDue claims jobs of payments and labels before those of other queues', async (t) => {
  const { services, clock } = t.context;
  const dueAt = fromNow(clock, -minutes(1));
  for (const queue of ['chores', 'webhooks', 'labels', 'payments', 'emails'] satisfies QueueName[])
    await fillOutbox(services, { store: 'ten_1', queue, count: 2, dueAt });
  const { claims } = await claim(t.context);
  t.deepEqual(Object.keys(countBy(claims, 'queue')), ['payments', 'labels', 'webhooks', 'emails', 'chores']);
});

test('claimDue finds the stores behind many older jobs of another', async (t) => {
  await fill(t.context, 'ten_many', 500);
  for (const store of ['ten_a', 'ten_z', null]) await fill(t.context, store, 1, -minutes(1));
  await fill(t.context, 'ten_later', 3, minutes(1));
  const { claims } = await claim(t.context);
  t.deepEqual(countBy(claims, 'tenantId'), { ten_a: 1, ten_z: 1, null: 1, ten_many: 3 });
});

test('claimDue returns each job once to concurrent relays, and each fills the limits at most', async (t) => {
  await fill(t.context, 'ten_many', 100);
  const claims = (await Promise.all([1, 2, 3].map(() => claim(t.context)))).flatMap((due) => due.claims);
  t.is(new Set(claims.map(({ id }) => id)).size, claims.length);
  t.true(claims.length >= limits.perStore && claims.length <= 3 * limits.perStore, `${claims.length}`);
});

test('claimDue and claimStale leave what another relay is claiming, and do not wait for it', async (t) => {
  const { services, clock } = t.context;
  const claims = {
    due: (execute: Execute) => claimDue(execute, known, clock.now(), limits).then((due) => due.claims),
    stale: (execute: Execute) => claimStale(execute, known, clock.now(), limits.perStore),
  };
  await fill(t.context, 'ten_many', 3);
  for (const claimSome of Object.values(claims)) {
    await asPlatform(services.context(), 'another relay', async ({ tx }) => {
      t.is((await claimSome((statement) => tx.execute(statement))).length, 3);
      t.deepEqual(await claimSome(services.execute), []);
    });
    t.deepEqual(await claimSome(services.execute), []);
    clock.pass(minutes(1));
  }
});

test('returnClaims releases the jobs that it names, and none that has completed meanwhile', async (t) => {
  const { services, clock } = t.context;
  await fill(t.context, 'ten_one', 3);
  const { claims } = await claim(t.context);
  await finish(t.context, claims.slice(1, 2));
  const [returned, completed] = claims.map(({ id }) => id);
  await returnClaims(services.execute, [returned ?? '', completed ?? ''], clock.now());
  t.deepEqual(
    (await claim(t.context)).claims.map(({ id }) => id),
    [returned],
  );
});

test('retryFailed retries a failed job of a queue, or all of that queue, and no other', async (t) => {
  const { services, clock } = t.context;
  const dueAt = fromNow(clock, -hours(1));
  for (const queue of ['labels', 'payments'] satisfies QueueName[])
    await fillOutbox(services, { store: 'ten_1', queue, count: 3, dueAt });
  const { claims } = await claim(t.context, { perQueue: 10, perStore: 10, reserved: 2 });
  for (const { id } of claims)
    await recordFailed(services.execute, await startRound(services, id), clock.now(), 'broken');
  const failedByQueue = async () => countBy(await readFailed(services.execute, known, { limitPerQueue: 10 }), 'queue');
  const one = claims.find(({ queue }) => queue === 'labels')?.id ?? '';
  for (const [which, retried, left] of [
    [{ queue: 'payments', id: one }, 0, { labels: 3, payments: 3 }],
    [{ queue: 'labels', id: one }, 1, { labels: 2, payments: 3 }],
    [{ queue: 'labels' }, 2, { payments: 3 }],
  ] as const) {
    t.is(await retryFailed(services.execute, which, clock.now()), retried);
    t.deepEqual(await failedByQueue(), left);
  }
});

test('retryFailed leaves what this release does not know', async (t) => {
  const { services, clock } = t.context;
  const job = 'webhooks.new';
  await fillOutbox(services, { store: 'ten_1', job, count: 1, dueAt: fromNow(clock, -minutes(1)) });
  const [claimed] = (await claimDue(services.execute, [job], clock.now())).claims;
  await recordFailed(services.execute, await startRound(services, claimed?.id ?? ''), clock.now(), 'broken');
  for (const which of [{ queue: 'webhooks' }, { queue: 'webhooks', id: claimed?.id ?? '' }])
    t.is(await retryFailed(services.execute, which, clock.now()), 0);
  t.is((await readFailed(services.execute, [job], { limitPerQueue: 10 })).length, 1);
});

test('closeFailed completes failed jobs by their name and key, and no other', async (t) => {
  const { services, clock } = t.context;
  const dueAt = fromNow(clock, -hours(1));
  const other = purchaseLabel.name;
  for (const job of [drainEndpoint.name, other]) await fillOutbox(services, { store: 'ten_1', job, count: 3, dueAt });
  const { claims } = await claim(t.context, { perQueue: 10, perStore: 10, reserved: 2 });
  const failed = claims.filter(({ id }) => !id.endsWith('_3'));
  for (const { id } of failed)
    await recordFailed(services.execute, await startRound(services, id), clock.now(), 'broken');
  const keys = claims.filter(({ id }) => !id.endsWith('_2')).map(({ id }) => id.replace(/_(\d)$/, ':$1'));
  await closeFailed(services.execute, { tenantId: 'ten_2', job: other, keys }, clock.now());
  t.is((await readFailed(services.execute, known, { limitPerQueue: 10 })).length, 4);
  await closeFailed(services.execute, { tenantId: 'ten_1', job: other, keys }, clock.now());
  const closed = await services.execute<{ job: string; id: string }>(sql`
    select job, id from outbox where finished_at is not null`);
  t.deepEqual(
    closed.map(({ job, id }) => [job, id.slice(-2)]),
    [[other, '_1']],
  );
  t.deepEqual(countBy(await readFailed(services.execute, [other], { limitPerQueue: 10 }), 'job'), { [other]: 1 });
});

test('readFailed reads the newest of each queue, labels before emails, however many failed in another', async (t) => {
  const { services, clock } = t.context;
  const failAll = (queue: QueueName) =>
    services.execute(sql`
      update outbox set failed_at = due_at, failure = 'broken', next_relay_at = null where queue = ${queue}`);
  const add = (queue: QueueName, count: number, ms: number) =>
    fillOutbox(services, { store: 'ten_1', queue, count, dueAt: fromNow(clock, ms) }).then(() => failAll(queue));
  await add('emails', 20_000, -hours(1));
  await add('labels', 5, -hours(2));
  const read = (execute: Execute) => readFailed(execute, known, { limitPerQueue: 100 });
  t.deepEqual(Object.entries(countBy(await read(services.execute), 'queue')), [
    ['labels', 5],
    ['emails', 100],
  ]);
  await services.execute(sql`analyze outbox`);
  const explained = await explainStatements(services, () => read(services.execute), { pattern: /outbox/ });
  t.is(explained.length, 2);
  for (const { handled, kind } of explained) t.true(handled < 1000, `${handled} rows to read 105, ${kind}`);
});

test('claimDue leaves jobs that this release does not know, however many they are', async (t) => {
  const { services, clock } = t.context;
  await fillOutbox(services, { store: 'ten_1', count: 300, dueAt: fromNow(clock, -hours(1)), job: 'webhooks.new' });
  await fill(t.context, 'ten_1', 1);
  await fill(t.context, 'ten_2', 1);
  t.deepEqual(countBy((await claim(t.context)).claims, 'job'), { [drainEndpoint.name]: 2 });
});

test('claimDue and claimStale read as many rows as they claim, however many are due or scheduled', async (t) => {
  const { services, clock } = t.context;
  await leaveUnanalyzed(services, ['outbox']);
  const dueAt = fromNow(clock, -hours(1));
  for (let store = 0; store < 200; store += 1) await fill(t.context, `ten_later_${store}`, 50, days(1));
  const handled = async (claim: (execute: Execute) => Promise<unknown>) => {
    const [custom, generic] = await explainStatements(services, () => claim(services.execute), { pattern: /outbox/ });
    return Math.max(custom?.handled ?? Infinity, generic?.handled ?? Infinity);
  };
  const due = () => handled((execute) => claimDue(execute, known, clock.now()));
  const stale = () => handled((execute) => claimStale(execute, known, clock.now(), 1000));

  const idle = await due();
  t.true(idle < 100, `${idle} rows when nothing is due`);
  await fillOutbox(services, { store: 'ten_many', count: 100_000, dueAt });
  for (const state of ['unanalyzed', 'analyzed']) {
    const first = await due();
    t.true(first < 10_000, `${first} rows to claim 200, ${state}`);
    const next = await due();
    t.true(next < 3000, `${next} rows while the store is at its limit, ${state}`);
    clock.pass(minutes(1));
    const again = await stale();
    t.true(again < 6000, `${again} rows to claim 200 again, ${state}`);
    await services.execute(sql`
      update outbox set finished_at = ${clock.now()}, next_relay_at = null where relays > 0
        and next_relay_at is not null`);
    await services.execute(sql`analyze outbox`);
  }
});
