import { randomUUID } from 'node:crypto';

import anyTest, { type TestFn } from 'ava';

import { aggregateQuarantined as aggregateQuarantinedJob } from '#jobs/analytics.ts';
import { transact } from '#src/database/transact.ts';
import { aggregateQuarantined, countQuarantined, pruneAnalytics } from '#src/domain/analytics/index.ts';
import { days } from '#src/lib/duration.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import {
  aggregateAll,
  aggregatedEvents,
  buildEvent,
  plantBatch,
  rollUpsOf,
  sendEvents,
  waitingBatches,
} from '#test/support/factories/analytics.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

// Serial, because aggregation takes the batches of all stores in this file's database.

test.serial('aggregateBatches quarantines a batch with invalid data and aggregates the others', async (t) => {
  const { ctx, services } = t.context;
  const ids = [
    await plantBatch(ctx, { id: 'not one' }),
    await plantBatch(ctx, { at: 'some day' }),
    await plantBatch(ctx, { value_cents: 1e30 }),
  ];
  await sendEvents(ctx, [buildEvent(), buildEvent()]);
  await sendEvents(ctx, [buildEvent()]);
  await aggregateAll(services);
  await aggregateAll(services);
  t.is(await waitingBatches(ctx), 0);
  t.is((await aggregatedEvents(ctx)).length, 3);
  t.like(await rollUpsOf(ctx), { days: [{ events: 3 }] });
  t.is(await countQuarantined(services.context()), 3);
  t.deepEqual(
    (await enqueuedJobs(ctx, aggregateQuarantinedJob)).map(({ batchId }) => batchId).toSorted(),
    ids.toSorted(),
  );
  const outcomes = (await runJobs(services)).filter((outcome) => outcome.startsWith('analytics.fold-set-aside'));
  t.is(outcomes.length, 3);
  t.true(
    outcomes.every((outcome) => /cancel \(bat_.* cannot be counted \(PostgreSQL error 22/.test(outcome)),
    outcomes.join(),
  );
});

test.serial('aggregateQuarantined counts a corrected batch once', async (t) => {
  const { ctx, services } = t.context;
  const batchId = await plantBatch(ctx, { id: 'not one' });
  await aggregateAll(services);
  await t.throwsAsync(aggregateQuarantined(ctx, { batchId }), { instanceOf: ManualActionRequired });
  await t.throwsAsync(aggregateQuarantined(ctx, { batchId }), { instanceOf: ManualActionRequired });
  t.is((await aggregatedEvents(ctx)).length, 0);

  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update analytics_quarantine set events = replace(events::text, 'not one', ${randomUUID()})::json
    where tenant_id = ${ctx.tenant.id}`),
  );
  await aggregateQuarantined(ctx, { batchId });
  await aggregateQuarantined(ctx, { batchId });
  await aggregateAll(services);
  t.is((await aggregatedEvents(ctx)).length, 1);
  t.is(await waitingBatches(ctx), 0);
});

test.serial('aggregateBatches quarantines nothing when the database fails', async (t) => {
  const { ctx, services } = t.context;
  await sendEvents(ctx, [buildEvent()]);
  const before = await countQuarantined(services.context());
  const { pool } = services.context().database;
  const restores: (() => void)[] = [];
  const fillUp = (client: { query: Function }) => {
    const query = client.query;
    restores.push(() => void (client.query = query));
    client.query = (...given: unknown[]) => {
      const text = typeof given[0] === 'string' ? given[0] : (given[0] as { text: string }).text;
      if (!/delete from analytics_batches b using/.test(text)) return query.apply(client, given);
      return Promise.reject(Object.assign(new Error('the disk is full'), { code: '53100' }));
    };
  };
  pool.on('acquire', fillUp);
  await t.throwsAsync(aggregateAll(services), { message: /the disk is full/ });
  pool.off('acquire', fillUp);
  for (const restore of restores.toReversed()) restore();
  t.is(await countQuarantined(services.context()), before);
  await aggregateAll(services);
  t.is((await aggregatedEvents(ctx)).length, 1);
});

test.serial('pruneAnalytics deletes quarantined batches with the events of their time', async (t) => {
  const { ctx, services, clock } = t.context;
  await plantBatch(ctx, { id: 'not one' });
  await aggregateAll(services);
  clock.pass(days(89));
  await pruneAnalytics(services.context());
  t.true((await countQuarantined(services.context())) > 0);
  clock.pass(days(3));
  await pruneAnalytics(services.context());
  t.is(await countQuarantined(services.context()), 0);
});
