import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { aggregateBatches, createPartitions, rebuildDay } from '#src/domain/analytics/index.ts';
import { addLine, createCart, readCart, readSavedCart } from '#src/domain/cart/index.ts';
import {
  findProduct,
  listManagedProducts,
  listProducts,
  priceLines,
  readInventory,
  readInventoryOf,
  readManagedProduct,
  saveProducts,
} from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { joinWaitlist } from '#src/domain/leads/index.ts';
import { dayOf } from '#src/lib/calendar.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { explainStatements, leaveUnanalyzed } from '#test/support/explain-statements.ts';
import { buildEvent, sendEvents } from '#test/support/factories/analytics.ts';
import { buildSavedCart } from '#test/support/factories/cart.ts';
import { stonewareInputs } from '#test/support/factories/catalog.ts';
import { importKinds, readsOfImport } from '#test/support/factories/imports.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const products = 600;
const page = 20;

test.serial('catalogue queries do not scan all variants when tables are not analyzed', async (t) => {
  const { ctx, services } = t.context;
  await leaveUnanalyzed(services, ['products', 'product_tags', 'variants']);
  const inputs = stonewareInputs(products);
  await transact(ctx, (ctx) => saveProducts(ctx, inputs, {}));
  const variants = await Promise.all(
    inputs.slice(0, page).map(async ({ slug }) => (await findProduct(ctx, slug)).variants[0]?.id ?? ''),
  );
  const lines = variants.map((variantId, number) => ({
    productSlug: `product-${number}`,
    variantId,
    quantity: 1,
    purchaseType: 'one_time' as const,
  }));
  const saved = await buildSavedCart(ctx, {
    items: inputs
      .slice(0, page)
      .map(({ slug, name }) => ({ product_slug: slug, name, quantity: 1, unit_price_cents: 1000 })),
  });
  const cart = await createCart(ctx, {});

  // Each row may be read a few times, but not once for each product of the page.
  const works: readonly ((ctx: Context) => Promise<unknown>)[] = [
    (ctx) => listProducts(ctx, { limit: page }),
    (ctx) => listProducts(ctx, { q: 'mug', limit: page }),
    (ctx) => listProducts(ctx, { q: 'l-17', limit: page }),
    (ctx) => findProduct(ctx, 'product-7'),
    (ctx) => listManagedProducts(ctx, { limit: page }),
    (ctx) => readManagedProduct(ctx, 'product-7'),
    (ctx) => readInventory(ctx, 'product-7'),
    (ctx) => readInventoryOf(ctx, variants),
    (ctx) => priceLines(ctx, lines),
    (ctx) => readSavedCart(ctx, saved.id),
    (ctx) => addLine(ctx, cart.id, { variantId: variants[0] ?? '', quantity: 1 }),
    (ctx) => readCart(ctx, cart.id),
    (ctx) => joinWaitlist(ctx, { email: 'ada@example.com', product_slug: 'product-7' }),
    (ctx) => transact(ctx, (ctx) => saveProducts(ctx, inputs.slice(0, page), {})),
  ];
  for (const work of works) {
    const explained = await explainStatements(services, () => work(ctx), { pattern: /variants/ });
    t.true(explained.length > 0, String(work));
    for (const { handled } of explained) t.true(handled < 20 * products, `${String(work)}: ${handled} rows`);
  }
});

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
  t.true((await handledBy(() => rebuildDay(ctx, { day: dayOf(clock.now()) }))) < 60 * 4020);

  clock.pass(days(7));
  await beginWeek();
  await ingest(5, 4);
  t.true((await aggregate()) < 60 * 20, 'ids of the week before are looked up one by one');
});

for (const kind of importKinds) {
  test.serial(`an import of ${kind} does not read what is already there when tables are not analyzed`, async (t) => {
    const { ctx, services } = t.context;
    const tables = await services.execute<{ name: string }>(
      sql`select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
    );
    await leaveUnanalyzed(
      services,
      tables.map(({ name }) => name),
    );
    t.deepEqual(await readsOfImport(services, ctx, kind), []);
  });
}
