import anyTest, { type TestFn } from 'ava';
import { changeKindOf, type Operation, previewChange, readOperation, runChange } from '#src/domain/bulk/index.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countCompiled } from '#test/support/count-compiled.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { interleave } from '#test/support/interleave.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test.serial('a preview that is run while a newer one takes its place either runs or is rejected', async (t) => {
  const { ctx: base, services } = t.context;
  let isReached = true;
  for (let step = 1; isReached; step += 1) {
    const ctx = { ...base, tenant: await buildTenant(services) };
    const { id: productId } = await buildProduct(ctx);
    const preview = () =>
      previewChange(ctx, { kind: changeKindOf({ kind: 'prices' }), ids: [productId], change: { percent: 1 } });
    const oldest = await preview();
    for (let count = 1; count < 10; count += 1) await preview();
    let expected: Operation['state'] = 'failed';
    isReached = await interleave(services, step, preview, () =>
      runChange(ctx, { id: oldest }).then(
        () => (expected = 'queued'),
        (error) => t.is(error.code, 'not_runnable'),
      ),
    );
    const operation = await readOperation(ctx, 'bulk_change', oldest);
    t.is(operation?.state, expected, `before statement ${step}`);
  }
});

test.serial('a preview leaves the one before it as it is', async (t) => {
  const { ctx } = t.context;
  const [bowl, plate] = [await buildProduct(ctx), await buildProduct(ctx)];
  const preview = (...ids: string[]) =>
    previewChange(ctx, { kind: changeKindOf({ kind: 'prices' }), ids, change: { percent: 1 } });
  const first = await preview(bowl.id);
  const before = await readOperation(ctx, 'bulk_change', first);
  await preview(bowl.id, plate.id);
  t.deepEqual(await readOperation(ctx, 'bulk_change', first), before);
});

test.serial('a second preview compiles no schema', async (t) => {
  const { ctx } = t.context;
  const preview = () =>
    previewChange(ctx, {
      kind: changeKindOf({ kind: 'prices' }),
      filter: { status: 'published' },
      change: { percent: 1 },
    });
  await preview();
  t.is(await countCompiled(preview), 0);
});
