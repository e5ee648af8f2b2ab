import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { importKindOf } from '#src/domain/bulk/index.ts';
import { hashedCode } from '#src/domain/promotions/index.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { interleave } from '#test/support/interleave.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const names = ['AAAA-BBBB-CCCC-DDDD', 'EEEE-FFFF-GGGG-HHHH', 'JJJJ-KKKK-LLLL-MMMM'];
const rowOf: Readonly<Record<string, (name: string, ctx: TestContext['ctx']) => object>> = {
  content: (name) => ({ type: 'article', slug: name.toLowerCase(), title: name }),
  gift_cards: (name, ctx) => {
    const { codeHash, last4 } = hashedCode(ctx, name);
    return { code: `hash:${codeHash.toString('base64url')}:${last4}`, balance_cents: 500 };
  },
  partners: (name) => ({ code: name.toLowerCase(), name }),
  products: (name) => ({ slug: name.toLowerCase(), name, variants: [{ sku: name, price_cents: 500 }] }),
  promo_codes: (name) => ({ code: name, type: 'free_shipping' }),
};

for (const [name, build] of Object.entries(rowOf)) {
  test.serial(`two imports of the same ${name} in opposite orders at once create each of them once`, async (t) => {
    const { services } = t.context;
    const kind = importKindOf({ kind: name });
    for (let step = 1, isReached = true; isReached; step += 1) {
      const ctx = { ...services.context(), tenant: await buildTenant(services) };
      const values = names.map((name) => build(name, ctx));
      const actions: string[] = [];
      const save = (order: readonly object[]) => async () => {
        const changes = await transact(ctx, (ctx) => kind.save(ctx, order, 'upsert'));
        actions.push(...changes.map(({ action }) => action));
      };
      isReached = await interleave(services, step, save(values), save(values.toReversed()));
      if (isReached)
        t.deepEqual(actions.toSorted(), ['created', 'created', 'created', 'unchanged', 'unchanged', 'unchanged']);
    }
  });
}
