import anyTest, { type TestFn } from 'ava';
import { Queue } from 'bullmq';
import type { Command } from 'ioredis';

import { aggregateBatches } from '#jobs/analytics.ts';
import { queuePrefix } from '#jobs/queues.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { fromNow } from '#src/lib/clock.ts';
import { correlate, currentCorrelation } from '#src/lib/correlation.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError, ManualActionRequired, Snooze } from '#src/lib/errors.ts';
import { type Log, silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordFailed, retryFailed } from '#src/outbox/job-state.ts';
import { readJobStates } from '#src/outbox/queue-states.ts';
import type { Services } from '#src/services.ts';
import type { TestClock } from '#test/support/clock.ts';
import { fillOutbox } from '#test/support/fill-outbox.ts';
import { openOwnServices } from '#test/support/own-services.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';
import { type RunningWorkers, startWorkers } from '#workers/runtime/start-workers.ts';

type Handle = (ctx: Context, endpointId: string) => Promise<unknown>;

/** Each test has a PostgreSQL, a Redis database, a relay and a worker of its own, as in production. */
interface Fixture {
  services: Services;
  clock: TestClock;
  ctx: Context;
  queue: Queue;
  /** Start a worker that does this with the endpoint of every job, on the services of the test or on others. */
  work(handle: Handle, onExhausted?: Handle, on?: Services): RunningWorkers;
  enqueueFor(endpointId: string, ctx?: Context): Promise<void>;
  row(
    endpointId: string,
  ): Promise<{ id: string; finished: boolean; failed: boolean; failure: string | null; starts: number }>;
  close(): Promise<void>;
}

const test = anyTest as TestFn<Fixture>;
const job = { ...drainEndpoint, retry: { ...drainEndpoint.retry, maxDelaySeconds: 0 } };

test.beforeEach(async (t) => {
  const own = await openOwnServices({ WORKER_CONCURRENCY_WEBHOOKS: '4' });
  const { services, clock } = own;
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  const relay = startRelay(services, { pollEveryMs: 20, healEveryMs: 20 });
  const queue = new Queue('webhooks', { connection: services.connectBlocking(), prefix: queuePrefix('webhooks') });
  const workers: RunningWorkers[] = [];

  t.context = {
    services,
    clock,
    ctx,
    queue,
    work(handle, onExhausted = async () => undefined, on = services) {
      const processors = [
        processor(
          job,
          (ctx, { endpointId }) => handle(ctx, endpointId),
          (ctx, { endpointId }) => onExhausted(ctx, endpointId),
        ),
      ];
      const worker = startWorkers(on, ['webhooks'], processors);
      workers.push(worker);
      return worker;
    },
    enqueueFor: (endpointId, to = ctx) =>
      transact(to, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId, causeId: 'test' })),
    async row(endpointId) {
      const [row] = await services.execute<Awaited<ReturnType<Fixture['row']>>>(sql`
        select id, finished_at is not null as finished, failed_at is not null as failed, failure, starts
        from outbox where key = ${`${endpointId}:test`}`);
      if (!row) throw new Error(`No job was enqueued for ${endpointId}.`);
      return row;
    },
    async close() {
      await Promise.all([...workers.map((worker) => worker.close(1000)), relay.close(), queue.close()]);
      await own.close();
    },
  };
});
test.afterEach.always((t) => t.context.close());

test('a job reaches its worker, completes, and leaves the queue', async (t) => {
  const worked: string[] = [];
  t.context.work(async (ctx, endpointId) => worked.push(`${ctx.tenant.slug} ${endpointId}`));
  await t.context.enqueueFor('one');

  await until(async () => (await t.context.row('one')).finished);
  t.deepEqual(worked, [`${t.context.ctx.tenant.slug} one`]);
  await until(
    async () =>
      (await t.context.queue.getJobCountByTypes('completed', 'active', 'wait', 'prioritized', 'failed')) === 0,
  );
});

test('a job that was relayed before Redis was wiped completes once', async (t) => {
  let worked = 0;
  await t.context.enqueueFor('wiped');
  await until(async () => (await t.context.queue.getPrioritizedCount()) === 1);
  await t.context.services.redis.flushdb();

  t.context.work(async () => (worked += 1));
  t.context.clock.pass(31_000);
  await until(async () => (await t.context.row('wiped')).finished);
  t.is(worked, 1);
});

const evictions = {
  'its place': (queue: Queue) => queue.toKey('prioritized'),
  'its data': (queue: Queue, id: string) => queue.toKey(id),
};
for (const [part, keyOf] of Object.entries(evictions)) {
  test(`a job of which Redis evicted ${part} in the queue completes once`, async (t) => {
    const { services, clock, queue, row, work, enqueueFor } = t.context;
    let worked = 0;
    await enqueueFor('evicted');
    await until(async () => (await queue.getPrioritizedCount()) === 1);
    await services.redis.del(keyOf(queue, (await row('evicted')).id));

    work(async () => (worked += 1));
    // A worker may hold it when the relay looks, so that it is healed in a later round.
    await until(async () => {
      clock.pass(minutes(1));
      return (await row('evicted')).finished;
    });
    t.is(worked, 1);
  });
}

test('a job that fails is retried, and after the last attempt its row and its queue have the failure', async (t) => {
  let runs = 0;
  t.context.work(async () => {
    runs += 1;
    throw new Error('the printer is out of paper');
  });
  await t.context.enqueueFor('hopeless');

  await until(async () => (await t.context.queue.getFailedCount()) === 1);
  t.is(runs, drainEndpoint.retry.attempts);
  const row = await t.context.row('hopeless');
  t.true(row.failed);
  t.is(row.failure, 'the printer is out of paper');
});

test('a job that is retried and one that fails are logged with their request, store and name', async (t) => {
  const { services, ctx, work, enqueueFor } = t.context;
  const lines: object[] = [];
  const record: Log['warn'] = (fields, phrase) => void lines.push({ phrase, ...fields, ...currentCorrelation() });
  work(
    async () => {
      throw new Error('the printer is out of paper');
    },
    undefined,
    { ...services, log: { ...silentLog, warn: record, error: record } },
  );
  await correlate({ requestId: 'req_of_the_shopper' }, () => enqueueFor('logged'));

  const whose = { requestId: 'req_of_the_shopper', tenant: ctx.tenant.slug, job: job.name };
  const reason = 'the printer is out of paper';
  await until(() => lines.length >= job.retry.attempts);
  t.like(lines[0], { phrase: 'job will be retried', reason, runs: 1, ...whose });
  t.like(lines.at(-1), { phrase: 'job failed', reason, ...whose });
});

test('a job that one run fails stays failed when another run ends without an outcome', async (t) => {
  const { services, clock, queue, row, work, enqueueFor } = t.context;
  work(async ({ attempt }) => {
    if (attempt) await recordFailed(services.execute, attempt, clock.now(), 'An operator has to look at it.');
  });
  await enqueueFor('twice');

  await until(async () => (await queue.getFailedCount()) === 1, { what: 'the failed job in its queue' });
  t.like(await row('twice'), { finished: false, failed: true, failure: 'An operator has to look at it.' });
});

test('a job that an operator retries is relayed and completes, although its queue has it as failed', async (t) => {
  let paper = false;
  t.context.work(async () => {
    if (!paper) throw new DomainError('conflict', 'no_paper', 'There is no paper.');
  });
  await t.context.enqueueFor('later');
  await until(async () => (await t.context.queue.getFailedCount()) === 1);

  paper = true;
  const [failed] = await t.context.queue.getFailed();
  t.is(failed?.failedReason, 'no_paper: There is no paper.');
  t.is(
    await retryFailed(t.context.services.execute, { queue: 'webhooks', id: failed?.id ?? '' }, t.context.clock.now()),
    1,
  );
  await until(async () => (await t.context.row('later')).finished);
  t.false((await t.context.row('later')).failed);
});

test('a job that an operator retries has all of its attempts again', async (t) => {
  const { clock, queue, services } = t.context;
  let runs = 0;
  t.context.work(async () => {
    runs += 1;
    throw new Error('the printer is out of paper');
  });
  await t.context.enqueueFor('again');
  await until(async () => (await t.context.row('again')).failed && (await queue.getFailedCount()) === 1);

  runs = 0;
  await retryFailed(services.execute, { queue: 'webhooks' }, clock.now());
  await until(async () => (await t.context.row('again')).failed && (await queue.getFailedCount()) === 1);
  t.is(runs, drainEndpoint.retry.attempts);
});

test('a job that was queued with fewer attempts fails with its last one, and its subject with it', async (t) => {
  const failed: string[] = [];
  const fail = async () => {
    throw new Error('the printer is out of paper');
  };
  const { clock, ctx, queue } = t.context;
  const dueAt = fromNow(clock, minutes(5));
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'fewer', causeId: 'test' }, { dueAt }));
  t.context.work(fail, async (_ctx, endpointId) => failed.push(endpointId));
  const { id } = await t.context.row('fewer');
  // What the relay of an earlier release did.
  await queue.add(drainEndpoint.name, { tenantId: ctx.tenant.id, trace: {} }, { jobId: id, attempts: 1 });
  await until(async () => (await queue.getDelayedCount()) === 1);
  clock.pass(minutes(6));
  await (await queue.getJob(id))?.promote();
  await until(async () => (await t.context.row('fewer')).failed);
  t.deepEqual(failed, ['fewer']);
});

test('the subject of a job that is not retried fails too, unless that is what it recorded itself', async (t) => {
  const failed: string[] = [];
  t.context.work(
    async (_ctx, endpointId) => {
      if (endpointId === 'manual') throw new ManualActionRequired('Look at the printer.');
      throw new DomainError('conflict', 'no_paper', 'There is no paper.');
    },
    async (_ctx, endpointId) => failed.push(endpointId),
  );
  await t.context.enqueueFor('manual');
  await t.context.enqueueFor('refused');
  await until(async () => (await t.context.row('manual')).failed && (await t.context.row('refused')).failed);
  t.deepEqual(failed, ['refused']);
});

test('the subject of a job whose payload another release wrote differently fails with it', async (t) => {
  const failed: string[] = [];
  const { services } = t.context;
  await t.context.enqueueFor('altered');
  await services.execute(sql`update outbox set payload = payload - 'causeId' where key = 'altered:test'`);
  t.context.work(
    async () => t.fail('it was executed'),
    async (_ctx, endpointId) => failed.push(endpointId),
  );
  await until(async () => (await t.context.row('altered')).failed);
  t.is((await t.context.row('altered')).failure, 'payload: /causeId is required');
  t.deepEqual(failed, ['altered']);
});

test('a job whose subject cannot be marked as failed fails all the same', async (t) => {
  t.context.work(
    async () => {
      throw new DomainError('conflict', 'no_paper', 'There is no paper.');
    },
    async () => {
      throw new TypeError('That was unexpected.');
    },
  );
  await t.context.enqueueFor('unmarked');
  await until(async () => (await t.context.row('unmarked')).failed);
  t.is((await t.context.row('unmarked')).failure, 'no_paper: There is no paper.');
});

test('a job that failed before Redis was wiped is in its queue again as failed, and not executed', async (t) => {
  const { clock, queue, services } = t.context;
  let runs = 0;
  t.context.work(async () => {
    runs += 1;
    if (runs === 1) throw new DomainError('conflict', 'no_paper', 'There is no paper.');
  });
  await t.context.enqueueFor('shown');
  await until(async () => (await queue.getFailedCount()) === 1);
  await services.redis.flushdb();

  await until(async () => (await queue.getFailedCount()) === 1);
  const [failed] = await queue.getFailed();
  t.is(failed?.failedReason, 'no_paper: There is no paper.');
  t.is(runs, 1);
  await retryFailed(services.execute, { queue: 'webhooks', id: failed?.id ?? '' }, clock.now());
  await until(async () => (await t.context.row('shown')).finished);
  t.is(runs, 2);
});

test('a DomainError is not retried', async (t) => {
  let runs = 0;
  t.context.work(async () => {
    runs += 1;
    throw new DomainError('not_found', 'not_found', 'There is no such thing.');
  });
  await t.context.enqueueFor('refused');
  await until(async () => (await t.context.queue.getFailedCount()) === 1);
  t.is(runs, 1);
});

test('a job that a queue holds too early waits until it is due, and never sees an earlier time', async (t) => {
  const { clock, ctx, queue } = t.context;
  const dueAt = fromNow(clock, minutes(5));
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'early', causeId: 'test' }, { dueAt }));
  const startedAt: Date[] = [];
  t.context.work(async (ctx) => startedAt.push(ctx.clock.now()));
  const { id } = await t.context.row('early');
  // What a relay does whose clock is ahead.
  await queue.add(drainEndpoint.name, { tenantId: ctx.tenant.id, trace: {} }, { jobId: id });

  await until(async () => (await queue.getDelayedCount()) === 1);
  t.like(await t.context.row('early'), { finished: false, starts: 0 });
  clock.pass(minutes(6));
  await (await queue.getJob(id))?.promote();
  await until(async () => (await t.context.row('early')).finished);
  t.is(startedAt.length, 1);
  t.true(startedAt.every((at) => at >= dueAt));
});

test('a job that is not due yet by the clock of a machine that was paused is soon looked at again', async (t) => {
  const { services, clock, queue } = t.context;
  const paused = { ...services, clock: { now: () => fromNow(clock, -hours(1)) } };
  t.context.work(async () => t.fail('It ran before its time.'), undefined, paused);
  await t.context.enqueueFor('paused');
  await until(async () => (await queue.getDelayedCount()) === 1);
  const [delayed] = await queue.getDelayed();
  t.true(delayed && delayed.delay > 0 && delayed.delay <= seconds(30), `${delayed?.delay} ms`);
});

test('an attempt whose outcome cannot be written is observed once, as snoozed', async (t) => {
  const { services, queue } = t.context;
  let isAway = false;
  const execute: Services['execute'] = (statement) =>
    isAway ? Promise.reject(new Error('Connection terminated')) : services.execute(statement);
  t.context.work(
    async () => {
      isAway = true;
      throw new Error('the printer is out of paper');
    },
    undefined,
    { ...services, execute },
  );
  await t.context.enqueueFor('unwritten');
  await until(async () => (await queue.getDelayedCount()) === 1);
  await until(async () => (await observedIn(services)).length > 0);
  t.deepEqual(await observedIn(services), [['snooze', 1]]);
});

/** How often each outcome was observed. */
async function observedIn({ metrics }: Services): Promise<[string | undefined, number][]> {
  return [...(await metrics.series())]
    .filter(([series]) => series.startsWith('storefront_job_seconds_count'))
    .map(([series, count]) => [/outcome="(\w+)"/.exec(series)?.[1], count]);
}

test('a snooze counts no attempt', async (t) => {
  let runs = 0;
  t.context.work(async () => {
    runs += 1;
    if (runs < 6) throw new Snooze(5, 'they are busy');
  });
  await t.context.enqueueFor('sleepy');
  await until(async () => (await t.context.row('sleepy')).finished);
  t.is(runs, 6);
});

test('a job that waited for a worker for days is snoozed, until two days after its first attempt', async (t) => {
  const { clock, enqueueFor, row } = t.context;
  const snoozes = drainEndpoint.retry.attempts + 3;
  await enqueueFor('overdue');
  clock.pass(days(7));
  let runs = 0;
  t.context.work(async () => {
    runs += 1;
    if (runs > snoozes) clock.pass(days(2));
    throw new Snooze(5, 'they are busy');
  });
  await until(async () => (await row('overdue')).failed);
  t.is(runs, snoozes + drainEndpoint.retry.attempts);
});

test('a job counts no attempt while the disk of PostgreSQL is full', async (t) => {
  let runs = 0;
  t.context.work(async (ctx) => {
    runs += 1;
    // What cannot extend a file ends with this code; changes of existing rows succeed all the same.
    if (runs < 12) await ctx.database.pool.query(`do $$ begin raise exception using errcode = '53100'; end $$`);
  });
  await t.context.enqueueFor('full');
  await until(async () => {
    await t.context.queue.promoteJobs();
    return (await t.context.row('full')).finished || (await t.context.row('full')).failed;
  });
  t.like(await t.context.row('full'), { finished: true, failed: false });
  t.is(runs, 12);
});

test('a job counts no attempt while its statements wait for an operator, for an hour', async (t) => {
  const { clock, queue, row, work, enqueueFor } = t.context;
  const busy = 12;
  let runs = 0;
  work(async (ctx) => {
    runs += 1;
    if (runs > busy) clock.pass(hours(1));
    await ctx.database.pool.query(`do $$ begin raise exception using errcode = '57014'; end $$`);
  });
  await enqueueFor('locked');
  await until(async () => {
    await queue.promoteJobs();
    return (await row('locked')).failed;
  });
  t.is(runs, busy + drainEndpoint.retry.attempts);
});

test('what recurs every few seconds does not add up while PostgreSQL is unavailable', async (t) => {
  const { services } = t.context;
  const queue = new Queue(aggregateBatches.queue, {
    connection: services.connectBlocking(),
    prefix: queuePrefix(aggregateBatches.queue),
  });
  let runs = 0;
  const worker = startWorkers(
    services,
    [aggregateBatches.queue],
    [
      platformProcessor(aggregateBatches, async (ctx) => {
        runs += 1;
        await ctx.database.pool.query(`do $$ begin raise exception using errcode = '53100'; end $$`);
      }),
    ],
  );
  t.teardown(() => Promise.all([worker.close(1000), queue.close()]));
  await until(() => runs >= 4);
  t.true((await queue.getDelayedCount()) <= 1, 'besides the next one');
});

test('the writes of a job and its completion are one commit', async (t) => {
  let runs = 0;
  t.context.work(async (ctx) => {
    runs += 1;
    await completeJob(ctx, async () => undefined);
    throw new Error('died right after the commit');
  });
  await t.context.enqueueFor('concluded');
  await until(async () => (await t.context.row('concluded')).finished);
  await until(async () => (await t.context.queue.getJobCountByTypes('active', 'wait', 'prioritized', 'delayed')) === 0);
  t.is(runs, 1);
});

test('a job that this release does not know waits in the outbox for one that does, and in no queue', async (t) => {
  const { services, clock, queue, work } = t.context;
  const job = 'webhooks.from-the-future';
  await fillOutbox(services, { store: 'ten_1', job, count: 1, dueAt: fromNow(clock, -minutes(1)) });
  const ofNewerRelay = () => claimDue(services.execute, [job], clock.now());
  const [claimed] = (await ofNewerRelay()).claims;
  const { id: jobId = '' } = claimed ?? {};
  await queue.add(job, { tenantId: null, trace: {} }, { jobId, removeOnComplete: true });
  work(async () => t.fail('it was worked'));
  await until(async () => (await queue.getJob(jobId)) === undefined);
  t.deepEqual(await observedIn(services), [['returned', 1]]);

  const state = async () => (await readJobStates(services.execute, clock.now())).find((state) => state.job === job);
  t.like(await state(), { due: 0, later: 1 });
  t.deepEqual((await ofNewerRelay()).claims, [], 'a relay may know it, and no worker');
  clock.pass(minutes(1));
  t.is((await ofNewerRelay()).claims[0]?.id, jobId);
});

test('a tenant uses at most half of the concurrency while another one waits', async (t) => {
  const { services, ctx } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  let mine = 0;
  let most = 0;
  const held: (() => void)[] = [];
  t.context.work(async (ctx) => {
    if (ctx.tenant.id === other.tenant.id) return;
    most = Math.max(most, (mine += 1));
    await new Promise<void>((resolve) => held.push(resolve));
    mine -= 1;
  });

  await Promise.all(Array.from({ length: 8 }, (_, index) => t.context.enqueueFor(`mine-${index}`)));
  await until(() => held.length === 2);
  await t.context.enqueueFor('theirs', other);
  await until(async () => (await t.context.row('theirs')).finished);
  t.is(most, 2);

  const releasing = setInterval(() => held.splice(0).forEach((release) => release()), 5);
  await until(async () =>
    (await Promise.all(Array.from({ length: 8 }, (_, index) => t.context.row(`mine-${index}`)))).every(
      ({ finished }) => finished,
    ),
  );
  clearInterval(releasing);
  t.is(most, 2);
});

test('a worker that stops returns the jobs that wait for their turn, and finishes those that run', async (t) => {
  const held: (() => void)[] = [];
  const worker = t.context.work(() => new Promise<void>((resolve) => held.push(resolve)));
  await Promise.all(Array.from({ length: 5 }, (_, index) => t.context.enqueueFor(`${index}`)));
  await until(async () => (await t.context.queue.getActiveCount()) === 5);

  const closed = worker.close(60_000);
  await until(async () => (await t.context.queue.getDelayedCount()) === 3);
  await until(() => held.length === 2);
  for (const release of held) release();
  await closed;
  t.is(await t.context.queue.getActiveCount(), 0);
  t.is(held.length, 2);
});

test('a job whose attempts die without an outcome fails after ten starts', async (t) => {
  await t.context.enqueueFor('deadly');
  await t.context.services.execute(sql`update outbox set starts = 10 where key = 'deadly:test'`);
  t.context.work(async () => t.fail('it was worked'));
  await until(async () => (await t.context.queue.getFailedCount()) === 1);
  t.regex((await t.context.row('deadly')).failure ?? '', /^crashes: /);
});

test('what goes wrong again and again while PostgreSQL accepts no changes is reported once a minute', async (t) => {
  const { services, work, enqueueFor, queue } = t.context;
  const phrases: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, phrase) => void phrases.push(phrase) };
  let statements = 0;
  const observed: Services = {
    ...services,
    log,
    context(parts) {
      statements += 1;
      return services.context(parts);
    },
  };
  for (const id of ['first', 'second', 'third']) await enqueueFor(id);
  await until(async () => (await queue.getPrioritizedCount()) === 3);
  await services.execute(sql`do $$ begin
    execute format('alter database %I set default_transaction_read_only = on', current_database());
  end $$`);
  const { pool } = services.context().database;
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  // Connections of now keep their setting.
  for (const client of clients) client.release(true);
  const relay = startRelay(observed, { pollEveryMs: 5 });
  t.teardown(() => relay.close());
  work(async () => t.fail('it was worked'), undefined, observed);
  await until(async () => (await queue.getDelayedCount()) === 3 && statements >= 20);
  t.deepEqual(phrases.toSorted(), ['jobs are postponed: how they end cannot be recorded', 'relay round failed']);
});

/** How a job ends in its first run. */
const endings: Record<string, (ctx: Context) => Promise<unknown>> = {
  done: async () => undefined,
  completed: (ctx) => completeJob(ctx, async () => undefined),
  snoozed: () => Promise.reject(new Snooze(5, 'they are busy')),
  retried: () => Promise.reject(new Error('the printer is out of paper')),
  failed: () => Promise.reject(new DomainError('conflict', 'no_paper', 'There is no paper.')),
};

/** Services that empty Redis just before the statement or command of this number, counted while `isCounted`. */
function emptyingRedis(services: Services, step: number, isCounted: () => boolean) {
  let sent = 0;
  const emptyAtStep = async () => {
    if (isCounted() && (sent += 1) === step) await services.redis.flushdb();
  };
  const emptying: Services = {
    ...services,
    async execute(statement) {
      await emptyAtStep();
      return services.execute(statement);
    },
    connectBlocking() {
      const connection = services.connectBlocking();
      const send = connection.sendCommand.bind(connection);
      return Object.assign(connection, {
        sendCommand: (command: Command) => (isCounted() ? emptyAtStep().then(() => send(command)) : send(command)),
      });
    },
  };
  return { emptying, isReached: () => sent >= step };
}

for (const [ending, end] of Object.entries(endings)) {
  test(`a job that is ${ending} ends so, wherever Redis is emptied while that is recorded`, async (t) => {
    const { services, clock, queue, row, work, enqueueFor } = t.context;
    const isEnded = async (id: string) => {
      clock.pass(minutes(1));
      const { finished, failed } = await row(id);
      return ending === 'failed' ? failed : finished;
    };
    let reached = 0;
    for (let step = 1; step <= 4; step += 1) {
      let runs = 0;
      const { emptying, isReached } = emptyingRedis(services, step, () => runs === 1);
      const worker = work(
        async (ctx) => {
          runs += 1;
          if (runs === 1) await end(ctx);
        },
        undefined,
        emptying,
      );
      const id = `${ending}-${step}`;
      await enqueueFor(id);
      await until(() => isEnded(id));
      if (ending === 'failed') await until(async () => (await queue.getJob((await row(id)).id))?.isFailed());
      else await until(async () => (await queue.getJob((await row(id)).id)) === undefined);
      await worker.close(1000);
      if (isReached()) reached += 1;
      t.true(runs <= 2, `${runs} runs, step ${step}`);
    }
    // A job that recorded its own end has nothing left for PostgreSQL, only the one command to Redis.
    t.true(reached >= (ending === 'completed' ? 1 : 2), `${reached} steps were reached`);
  });
}
