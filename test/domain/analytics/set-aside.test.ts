import anyTest, { type TestFn } from 'ava';

import { foldSetAside as foldSetAsideJob } from '#jobs/analytics.ts';
import { countSetAside, foldSetAside, pruneAnalytics } from '#src/domain/analytics/index.ts';
import type { Context } from '#src/domain/context.ts';
import { transact } from '#src/domain/database.ts';
import { days, seconds } from '#src/lib/duration.ts';
import { NeedsPerson } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildEvent, foldAll, foldedEvents, rollUpsOf, sendEvents, waitingBatches } from '#test/support/factories/analytics.ts';
import { promised } from '#test/support/promised.ts';
import { workPromises } from '#test/support/work-promises.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

// One after another: whoever folds takes the batches of every store in this file's database.

const good = { id: '019012ab7c3d7e4f8a5b6c7d8e9f0a1b', at: '2026-01-05T00:00:00Z', type: 'page_viewed', session_id: 's' };

/** What no release of ours should ever write, as the oldest that waits. */
async function plant(ctx: Context, event: object): Promise<string> {
  const id = newId('bat');
  const receivedAt = new Date(ctx.clock.now().getTime() - seconds(10));
  await transact(ctx, (ctx) => ctx.tx.run(sql`
    insert into analytics_batches (tenant_id, id, received_at, source, bot, event_count, events)
    values (${ctx.tenant.id}, ${id}, ${receivedAt}, 'client', false, 1, ${JSON.stringify([{ ...good, at: receivedAt, ...event }])})`));
  return id;
}

test.serial('a batch that cannot be folded is set aside for a person, and keeps no other waiting', async (t) => {
  const { ctx, services } = t.context;
  const ids = [await plant(ctx, { id: 'not one' }), await plant(ctx, { at: 'some day' }), await plant(ctx, { value_cents: 1e30 })];
  await sendEvents(ctx, [buildEvent(), buildEvent()]);
  await sendEvents(ctx, [buildEvent()]);
  await foldAll(services);
  await foldAll(services);
  t.is(await waitingBatches(ctx), 0);
  t.is((await foldedEvents(ctx)).length, 3);
  t.like(await rollUpsOf(ctx), { days: [{ events: 3 }] });
  t.is(await countSetAside(services.context()), 3);
  t.deepEqual((await promised(ctx, foldSetAsideJob)).map(({ batchId }) => batchId).toSorted(), ids.toSorted());
  const outcomes = (await workPromises(services)).filter((outcome) => outcome.startsWith('analytics.fold-set-aside'));
  t.is(outcomes.length, 3);
  t.true(outcomes.every((outcome) => /cancel \(bat_.* cannot be counted \(PostgreSQL says 22/.test(outcome)), outcomes.join());
});

test.serial('once it is mended it is counted, and once only', async (t) => {
  const { ctx, services } = t.context;
  const batchId = await plant(ctx, { id: 'not one' });
  await foldAll(services);
  await t.throwsAsync(foldSetAside(ctx, { batchId }), { instanceOf: NeedsPerson });
  await t.throwsAsync(foldSetAside(ctx, { batchId }), { instanceOf: NeedsPerson });
  t.is((await foldedEvents(ctx)).length, 0);

  await transact(ctx, (ctx) => ctx.tx.run(sql`
    update analytics_set_aside set events = replace(events::text, 'not one', ${good.id})::json where tenant_id = ${ctx.tenant.id}`));
  await foldSetAside(ctx, { batchId });
  await foldSetAside(ctx, { batchId });
  await foldAll(services);
  t.is((await foldedEvents(ctx)).length, 1);
  t.is(await waitingBatches(ctx), 0);
});

test.serial('while the database is away nothing is set aside', async (t) => {
  const { ctx, services } = t.context;
  await sendEvents(ctx, [buildEvent()]);
  const { pool } = services.context().database;
  const refuse = (client: { query: Function }) => {
    const query = client.query;
    client.query = (...given: unknown[]) => {
      const text = typeof given[0] === 'string' ? given[0] : (given[0] as { text: string }).text;
      if (!/delete from analytics_batches/.test(text)) return query.apply(client, given);
      client.query = query;
      return query.call(client, 'select pg_terminate_backend(pg_backend_pid())');
    };
  };
  pool.once('acquire', refuse);
  await foldAll(services).catch(() => undefined);
  pool.off('acquire', refuse);
  await foldAll(services);
  t.is((await foldedEvents(ctx)).length, 1);
  t.is(await countSetAside({ ...services.context() }), 3, 'those of the first test');
});

test.serial('what nobody mends is forgotten with the events of its time', async (t) => {
  const { ctx, services, clock } = t.context;
  await plant(ctx, { id: 'not one' });
  await foldAll(services);
  clock.pass(days(89));
  await pruneAnalytics(services.context());
  t.true(await countSetAside(services.context()) > 0);
  clock.pass(days(3));
  await pruneAnalytics(services.context());
  t.is(await countSetAside(services.context()), 0);
});
