import anyTest, { type TestFn } from 'ava';
import { aggregateBatches, createPartitions, rebuildDay } from '#src/domain/analytics/index.ts';
import { dayNumber, dayOf } from '#src/lib/calendar.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { explainStatements, leaveUnanalyzed } from '#test/support/explain-statements.ts';
import { buildEvent, sendEvents } from '#test/support/factories/analytics.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test.serial("aggregateBatches does not read a store's older events when tables are not analyzed", async (t) => {
  const { ctx, services, clock } = t.context;
  const beginWeek = async () => {
    await createPartitions(services.context());
    const tables = await services.execute<{ name: string }>(
      sql`select relname as name from pg_class where relkind = 'r' and relname like 'analytics%'`,
    );
    await leaveUnanalyzed(
      services,
      tables.map(({ name }) => name),
    );
  };
  const ingest = async (batches: number, perBatch: number) => {
    for (let batch = 0; batch < batches; batch += 1)
      await sendEvents(
        ctx,
        Array.from({ length: perBatch }, () => buildEvent()),
      );
  };
  const handledBy = async (work: () => Promise<unknown>) => {
    const explained = await explainStatements(services, work, { pattern: /analytics_/ });
    return Math.max(...explained.map(({ handled }) => handled));
  };
  const aggregate = () => handledBy(() => aggregateBatches(services.context()));

  await beginWeek();
  await ingest(40, 100);
  // About thirty plan rows for each event.
  t.true((await aggregate()) < 60 * 4000);
  await ingest(5, 4);
  t.true((await aggregate()) < 60 * 20);
  t.true((await handledBy(() => rebuildDay(ctx, { period: dayNumber(dayOf(clock.now())) }))) < 60 * 4020);

  clock.pass(days(7));
  await beginWeek();
  await ingest(5, 4);
  t.true((await aggregate()) < 60 * 20, 'ids of the week before are looked up one by one');
});
