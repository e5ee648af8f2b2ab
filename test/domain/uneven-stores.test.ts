import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { changeStock } from '#src/domain/catalog/change-stock.ts';
import { holdStock, releaseStock, saveProducts, unknownSlugs } from '#src/domain/catalog/index.ts';
import { stopReminders } from '#src/domain/reminders/index.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { type Explained, explainStatements } from '#test/support/explain-statements.ts';
import { stonewareInputs } from '#test/support/factories/catalog.ts';
import { buildRemindedCart, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { multiplyStore } from '#test/support/multiply-store.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const none: ReadonlySet<string> = new Set();

/** Of each row that the store has, it then has a thousand more, and 500 other stores have one each. */
async function makeUneven({ ctx, services }: TestContext, shared = none): Promise<void> {
  const others = new Map(Array.from({ length: 500 }, (_, number) => [`ten_${number}`, 1]));
  await multiplyStore(services.config.databaseUrl, ctx.tenant.id, { own: 1000, others }, { shared, single: none });
  await services.execute(rawSql('analyze'));
}

const costly = (explained: readonly Explained[]) =>
  explained.filter(({ read }) => read > 300).map(({ kind, read, scans }) => ({ kind, read, scans }));

test.serial(
  'the products of a store that has far more than the average are saved and sold by their keys',
  async (t) => {
    const { ctx, services } = t.context;
    await transact(ctx, (ctx) => saveProducts(ctx, stonewareInputs(3), {}));
    await makeUneven(t.context);

    const variants = await read<{ id: string }>(
      ctx,
      sql`select id from variants where tenant_id = ${ctx.tenant.id} order by id limit 20`,
    );
    const lines = variants.map(({ id }) => ({ variantId: id, quantity: 1 }));
    const explained = await explainStatements(services, () =>
      transact(ctx, async (ctx) => {
        const changed = stonewareInputs(3).map((product) => ({ ...product, description: 'Fired twice.' }));
        await saveProducts(ctx, changed, {});
        await unknownSlugs(
          ctx,
          Array.from({ length: 60 }, (_, number) => `none-${number}`),
        );
        await changeStock(
          ctx,
          lines.map(({ variantId }) => ({ variantId, quantity: 10 })),
        );
        await holdStock(ctx, lines);
        await releaseStock(ctx, lines);
      }),
    );
    t.true(explained.length >= 10);
    t.deepEqual(costly(explained), []);
  },
);

test.serial('the reminders of a store that has far more than the average are stopped by their cart', async (t) => {
  const { ctx, services } = t.context;
  await remindAnytime(ctx);
  const carts = await Promise.all([1, 2, 3].map(() => buildRemindedCart(ctx)));
  await makeUneven(t.context);
  const bought = carts.map(({ cart }) => ({ id: cart.id, restoredAt: null }));
  const paid = { orderId: 'ord_1', paidAt: ctx.clock.now() };
  const explained = await explainStatements(services, () => transact(ctx, (ctx) => stopReminders(ctx, paid, bought)));
  t.true(explained.some(({ returned }) => returned > 3));
  t.deepEqual(costly(explained), []);
});

test.serial('the deliveries of a store that has far more than the average are claimed by their keys', async (t) => {
  const { ctx, services } = t.context;
  const { id } = await buildEndpoint(ctx, await receiverFor(t));
  await recordTests(ctx, id, 3);
  await runJobs(services);
  await makeUneven(t.context, new Set(['webhook_deliveries.endpoint_id']));

  await recordTests(ctx, id, 3);
  const explained = await explainStatements(services, () => runJobs(services), { pattern: /webhook_deliveries/ });
  t.deepEqual(await countStates(ctx, id), { delivered: 3 * 1001 + 3 });
  t.deepEqual(costly(explained), []);
});
