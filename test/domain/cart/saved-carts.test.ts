import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import {
  markBought,
  presentSavedCart,
  readMailPreference,
  readSavedCart,
  restoreCart,
  saveCart,
  unsubscribe,
} from '#src/domain/cart/index.ts';
import { removeProduct, saveProduct } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { tenantIdOfToken } from '#src/domain/tenants/index.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildSavedCart, restoreTokenOf, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const later = (ctx: Context, milliseconds: number): Context => ({
  ...ctx,
  clock: { now: () => new Date(ctx.clock.now().getTime() + milliseconds) },
});
const restoredAt = async (ctx: Context, id: string) =>
  (
    await read<{ at: Date | null }>(
      ctx,
      sql`select restored_at as at from saved_carts where tenant_id = ${ctx.tenant.id} and id = ${id}`,
    )
  )[0]?.at;

test('restoreCart returns each line with current catalogue data', async (t) => {
  const { ctx } = t.context;
  const bowl = await buildProduct(ctx);
  const dearer = await buildProduct(ctx, { name: 'Cup' });
  const empty = await buildProduct(ctx, { variants: [{ stock: 0 }] });
  const several = await buildProduct(ctx, { variants: [{ name: 'S' }, { name: 'L', price_cents: 5000 }] });
  const gone = await buildProduct(ctx);
  const saved = await saveCart(ctx, {
    email: 'Ada@Example.com',
    items: [
      { product_slug: bowl.slug, quantity: 2, unit_price_cents: 3800, name: 'My bowl' },
      { variant_id: dearer.variant.id, quantity: 1, price_cents: 3000 },
      { product_slug: empty.slug, quantity: 1 },
      { product_slug: several.slug, quantity: 1, unit_price_cents: 1 },
      { product_slug: several.slug, variant_id: several.variants[1]?.id ?? null, quantity: 1, unit_price_cents: 5000 },
      { product_slug: gone.slug, variant_id: gone.variant.id, quantity: 1, unit_price_cents: 3800 },
      { product_slug: 'never-was', name: 'A thing', quantity: 1 },
    ],
  });
  await transact(ctx, (ctx) =>
    saveProduct(ctx, { slug: dearer.slug, name: 'Cup', variants: [{ sku: dearer.variant.sku, price_cents: 3900 }] }),
  );
  await transact(ctx, (ctx) => removeProduct(ctx, gone.slug));

  t.is(await restoredAt(ctx, saved.id), null);
  const view = presentSavedCart(await restoreCart(ctx, await restoreTokenOf(ctx, saved.id)));
  t.like(view, { id: saved.id, currency: 'USD', expires_at: saved.expiresAt.toISOString() });
  t.deepEqual(
    view.items.map(({ product_slug, name, unit_price_cents, current_unit_price_cents, status }) => [
      product_slug,
      name,
      unit_price_cents,
      current_unit_price_cents,
      status,
    ]),
    [
      [bowl.slug, 'My bowl', 3800, 3800, 'ok'],
      [dearer.slug, 'Cup', 3000, 3900, 'price_changed'],
      [empty.slug, 'Oak bowl', 3800, 3800, 'out_of_stock'],
      [several.slug, 'Oak bowl', 1, null, 'ok'],
      [several.slug, 'Oak bowl', 5000, 5000, 'ok'],
      [gone.slug, null, 3800, null, 'discontinued'],
      ['never-was', 'A thing', null, null, 'discontinued'],
    ],
  );
});

test('restoreCart records the first time only', async (t) => {
  const { ctx } = t.context;
  const saved = await buildSavedCart(ctx);
  const token = await restoreTokenOf(ctx, saved.id);
  await restoreCart(ctx, token);
  const first = await restoredAt(ctx, saved.id);
  t.truthy(first);
  await restoreCart(later(ctx, days(1)), token);
  t.deepEqual(await restoredAt(ctx, saved.id), first);
});

test('restoreCart rejects tokens of unknown, expired, converted and other stores’ carts', async (t) => {
  const { ctx, services } = t.context;
  const saved = await buildSavedCart(ctx, { email: 'ada@example.com' });
  const token = await restoreTokenOf(ctx, saved.id);
  const gone = { code: 'saved_cart_gone' };

  await t.throwsAsync(restoreCart(ctx, 'nonsense'), gone);
  await t.throwsAsync(restoreCart(ctx, await restoreTokenOf(ctx, 'scart_none')), gone);
  await t.throwsAsync(restoreCart({ ...ctx, tenant: await buildTenant(services) }, token), gone);
  await t.throwsAsync(restoreCart(later(ctx, days(30)), token), gone);
  await t.notThrowsAsync(restoreCart(ctx, token));

  const other = await buildSavedCart(ctx, { email: 'grace@example.com' });
  await transact(ctx, (ctx) => markBought(ctx, { email: ' ADA@example.com', cartId: null, sessionId: null }));
  await t.throwsAsync(restoreCart(ctx, token), gone);
  await t.notThrowsAsync(restoreCart(ctx, await restoreTokenOf(ctx, other.id)));
});

test('tokens name their tenant, are reproducible, and are not stored', async (t) => {
  const { ctx } = t.context;
  const saved = await buildSavedCart(ctx);
  const tokens = [await restoreTokenOf(ctx, saved.id), await unsubscribeTokenOf(ctx, saved.email)];
  t.deepEqual([await restoreTokenOf(ctx, saved.id), await unsubscribeTokenOf(ctx, saved.email.toUpperCase())], tokens);
  t.deepEqual(tokens.map(tenantIdOfToken), [ctx.tenant.id, ctx.tenant.id]);
  t.is(tenantIdOfToken('nonsense'), undefined);

  const rows = await read<{ row: string }>(
    ctx,
    sql`
    select to_jsonb(s)::text as row from saved_carts s where tenant_id = ${ctx.tenant.id}
    union all select to_jsonb(m)::text from unsubscribe_links m where tenant_id = ${ctx.tenant.id}`,
  );
  t.is(rows.length, 2);
  for (const token of tokens)
    t.false(rows.some(({ row }) => row.includes(token) || row.includes(Buffer.from(token).toString('hex'))));
});

test('unsubscribe outlasts saving another cart', async (t) => {
  const { ctx, services } = t.context;
  const { id, email } = await buildSavedCart(ctx);
  const token = await unsubscribeTokenOf(ctx, email);
  t.is(await readMailPreference(ctx, token), 'subscribed');
  t.like(await readSavedCart(ctx, id), { isUnsubscribed: false });

  t.is(await unsubscribe(ctx, token), 'unsubscribed');
  t.is(await unsubscribe(ctx, token), 'unsubscribed');
  const again = await buildSavedCart(ctx, { email: email.toUpperCase() });
  t.is(await readMailPreference(ctx, token), 'unsubscribed');
  t.like(await readSavedCart(ctx, again.id), { isUnsubscribed: true });

  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  t.like(await readSavedCart(otherStore, (await buildSavedCart(otherStore, { email })).id), { isUnsubscribed: false });
  await t.throwsAsync(unsubscribe(otherStore, token), { code: 'invalid_or_expired_token' });
  await t.throwsAsync(readMailPreference(ctx, await unsubscribeTokenOf(ctx, 'nobody@example.com')), {
    code: 'invalid_or_expired_token',
  });
});

test.serial('saveCart executes one statement after reading the secret, and restoreCart one', async (t) => {
  const { ctx, services } = t.context;
  const saving = await countStatements(services, () => buildSavedCart(ctx));
  t.is(saving.statements.length, 2);
  const token = await restoreTokenOf(ctx, saving.result.id);
  t.is((await countStatements(services, () => restoreCart(ctx, token))).statements.length, 1);
});
