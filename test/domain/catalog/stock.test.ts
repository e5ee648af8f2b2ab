import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { transact } from '#src/database/transact.ts';
import { changeStock } from '#src/domain/catalog/change-stock.ts';
import { captureStock, holdStock, releaseStock, restock, takeStock } from '#src/domain/catalog/index.ts';
import type { Context, InTransaction } from '#src/domain/context.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('holdStock makes stock unavailable until releaseStock', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 3 }] });
  const two = [{ variantId: variant.id, quantity: 2 }];

  await transact(ctx, (ctx) => holdStock(ctx, two));
  const error = await t.throwsAsync<DomainError>(
    transact(ctx, (ctx) => holdStock(ctx, two)),
    { instanceOf: DomainError },
  );
  t.is(error?.code, 'insufficient_stock');
  t.deepEqual(error?.extensions['items'], [{ variant_id: variant.id, requested: 2, available: 1 }]);

  await transact(ctx, (ctx) => releaseStock(ctx, two));
  await transact(ctx, (ctx) => holdStock(ctx, two));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 3, held: 2, ledger: 3 });
});

test('holdStock never exceeds the stock with 200 concurrent shoppers', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 37 }] });
  const attempts = Array.from({ length: 200 }, () =>
    transact(ctx, (ctx) => holdStock(ctx, [{ variantId: variant.id, quantity: 1 }])).then(
      () => true,
      () => false,
    ),
  );
  const held = (await Promise.all(attempts)).filter(Boolean);
  t.is(held.length, 37);
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 37, held: 37, ledger: 37 });
});

test('holdStock holds overlapping baskets concurrently without deadlocks, all or nothing', async (t) => {
  const { ctx } = t.context;
  const { variants } = await buildProduct(ctx, { variants: [{ stock: 20 }, { stock: 20 }, { stock: 15 }] });
  const ids = variants.map(({ id }) => id);
  const attempts = Array.from({ length: 60 }, (_, index) => {
    const basket = ids.toSorted(() => (index % 2 ? 1 : -1)).map((variantId) => ({ variantId, quantity: 1 }));
    return transact(ctx, (ctx) => holdStock(ctx, basket)).then(
      () => 'held',
      (error: DomainError) => error.code,
    );
  });
  const outcomes = await Promise.all(attempts);
  t.is(outcomes.filter((outcome) => outcome === 'held').length, 15);
  t.is(outcomes.filter((outcome) => outcome === 'insufficient_stock').length, 45);
  for (const id of ids) t.is((await stockOf(ctx, id)).held, 15);
});

test('holdStock sums the quantities of a variant before it checks them', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 3 }] });
  const lines = [
    { variantId: variant.id, quantity: 2 },
    { variantId: variant.id, quantity: 2 },
  ];
  const error = await t.throwsAsync<DomainError>(transact(ctx, (ctx) => holdStock(ctx, lines)));
  t.deepEqual(error?.extensions['items'], [{ variant_id: variant.id, requested: 4, available: 3 }]);
});

test('holdStock accepts any quantity of untracked and backorder variants', async (t) => {
  const { ctx } = t.context;
  const { variants } = await buildProduct(ctx, { variants: [{ stock: null }, { stock: 1, backorder: true }] });
  const lines = variants.map(({ id }) => ({ variantId: id, quantity: 5 }));
  await transact(ctx, async (ctx) => {
    await holdStock(ctx, lines);
    t.true(await captureStock(ctx, lines, { orderId: 'ord_1' }));
  });
  t.deepEqual(await stockOf(ctx, variants[0]?.id ?? ''), { stock: null, held: 0, ledger: 0 });
  t.deepEqual(await stockOf(ctx, variants[1]?.id ?? ''), { stock: -4, held: 0, ledger: -4 });
});

test('captureStock sells a hold, and restock puts it back', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 5 }] });
  const lines = [{ variantId: variant.id, quantity: 2 }];
  await transact(ctx, (ctx) => holdStock(ctx, lines));
  await transact(ctx, (ctx) => captureStock(ctx, lines, { orderId: 'ord_1' }));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 3, held: 0, ledger: 3 });
  await transact(ctx, (ctx) => restock(ctx, lines, { orderId: 'ord_1' }));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 5, held: 0, ledger: 5 });
});

test('captureStock releases the hold and sells nothing when the owner has reduced the stock', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 5 }] });
  const lines = [{ variantId: variant.id, quantity: 4 }];
  await transact(ctx, (ctx) => holdStock(ctx, lines));
  await transact(ctx, (ctx) => changeStock(ctx, [{ variantId: variant.id, quantity: 1 }]));
  t.false(await transact(ctx, (ctx) => captureStock(ctx, lines)));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 1, held: 0, ledger: 1 });
});

test('takeStock sells stock that is not held, all or nothing', async (t) => {
  const { ctx } = t.context;
  const { variants } = await buildProduct(ctx, { variants: [{ stock: 2 }, { stock: 2 }] });
  const [first, second] = variants.map(({ id }) => id);
  const take = (quantity: number) =>
    transact(ctx, (ctx) =>
      takeStock(ctx, [
        { variantId: first ?? '', quantity: 1 },
        { variantId: second ?? '', quantity },
      ]),
    );
  await transact(ctx, (ctx) => holdStock(ctx, [{ variantId: second ?? '', quantity: 1 }]));
  t.false(await take(2));
  t.is((await stockOf(ctx, first ?? '')).stock, 2);
  t.true(await take(1));
  t.deepEqual(await stockOf(ctx, second ?? ''), { stock: 1, held: 1, ledger: 1 });
});

test('holdStock does not find variants of another store', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx);
  const otherStore: Context = { ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } };
  const error = await t.throwsAsync<DomainError>(
    transact(otherStore, (ctx) => holdStock(ctx, [{ variantId: variant.id, quantity: 1 }])),
  );
  t.deepEqual(error?.extensions['items'], [{ variant_id: variant.id, requested: 1, available: 0 }]);
});

test('changeStock sets and adjusts stock, and rejects an outdated expected quantity', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 5 }] });
  const { sku } = variant;
  await transact(ctx, (ctx) => changeStock(ctx, [{ sku, change: -2, ifQuantity: 5 }]));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 3, held: 0, ledger: 3 });

  const errorOf = async (change: object) =>
    (await t.throwsAsync<DomainError>(transact(ctx, (ctx) => changeStock(ctx, [{ sku, ...change }]))))?.code;
  t.is(await errorOf({ quantity: 9, ifQuantity: 5 }), 'version_conflict');
  t.is(await errorOf({ change: -4 }), 'insufficient_stock');
  t.is(await errorOf({ sku: 'NO-SUCH', quantity: 1 }), 'not_found');

  await transact(ctx, (ctx) => changeStock(ctx, [{ sku, quantity: null }]));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: null, held: 0, ledger: 0 });
  t.is(await errorOf({ change: 1 }), 'invalid_request');
  await transact(ctx, (ctx) => changeStock(ctx, [{ sku, quantity: 8 }]));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 8, held: 0, ledger: 8 });
});

test('stock equals its ledger and is never oversold after random movements', async (t) => {
  const { ctx } = t.context;
  const step = fc.record({
    kind: fc.constantFrom('hold', 'release', 'capture', 'take', 'restock', 'set', 'adjust'),
    quantity: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { variant } = await buildProduct(ctx, { variants: [{ stock: 5 }] });
      let held = 0;
      for (const { kind, quantity } of steps) {
        const moved = await transact(ctx, (ctx) => apply(ctx, kind, variant.id, quantity, held)).catch(
          (error: unknown) => {
            if (error instanceof DomainError) return false;
            throw error;
          },
        );
        if (kind === 'hold' && moved) held += quantity;
        if ((kind === 'release' || kind === 'capture') && quantity <= held) held -= quantity;
      }
      const now = await stockOf(ctx, variant.id);
      t.is(now.stock, now.ledger);
      t.is(now.held, held);
      t.true((now.stock ?? 0) >= 0);
    }),
    { numRuns: 25 },
  );
});

async function apply(
  ctx: InTransaction,
  kind: string,
  variantId: string,
  quantity: number,
  held: number,
): Promise<boolean> {
  const lines = [{ variantId, quantity }];
  if ((kind === 'release' || kind === 'capture') && quantity > held) return false;
  if (kind === 'hold') await holdStock(ctx, lines);
  if (kind === 'release') await releaseStock(ctx, lines);
  if (kind === 'capture') return captureStock(ctx, lines);
  if (kind === 'take') return takeStock(ctx, lines);
  if (kind === 'restock') await restock(ctx, lines);
  if (kind === 'set') await changeStock(ctx, [{ variantId, quantity: Math.max(quantity, held) }]);
  if (kind === 'adjust') await changeStock(ctx, [{ variantId, change: quantity - 2 }]);
  return true;
}

test.serial('holdStock, captureStock and restock execute one statement each for many variants', async (t) => {
  const { ctx, services } = t.context;
  const { variants } = await buildProduct(ctx, { variants: [{}, {}, {}] });
  const lines = variants.map(({ id }) => ({ variantId: id, quantity: 1 }));
  for (const move of [holdStock, captureStock, restock, takeStock, restock, holdStock, releaseStock]) {
    const { statements } = await countStatements(services, () =>
      transact(ctx, async (ctx) => void (await move(ctx, lines))),
    );
    t.is(statements.length, 1, move.name);
  }
});
