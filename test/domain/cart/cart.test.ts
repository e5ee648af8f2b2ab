import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import {
  addLine,
  changeLine,
  createCart,
  isUnsubscribed,
  markBought,
  presentCart,
  presentSavedCart,
  readCart,
  readMailPreference,
  readSavedCart,
  removeLine,
  restoreCart,
  saveCart,
  unsubscribe,
} from '#src/domain/cart/index.ts';
import { type ProductInput, removeProduct, saveProduct } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { tenantIdOfToken } from '#src/domain/tenants/index.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildCart, buildSavedCart, restoreTokenOf, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { type BuiltProduct, buildProduct } from '#test/support/factories/catalog.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const later = (ctx: Context, milliseconds: number): Context => ({
  ...ctx,
  clock: { now: () => new Date(ctx.clock.now().getTime() + milliseconds) },
});

test('carts and saved carts are in the currency of their prices, also after the store has changed it', async (t) => {
  const { ctx } = t.context;
  const { slug, variant } = await buildProduct(ctx);
  const { id } = await buildCart(ctx, [variant.id]);
  const saved = await buildSavedCart(ctx, { items: [{ product_slug: slug, quantity: 1 }] });
  const inEuros: Context = { ...ctx, tenant: { ...ctx.tenant, currency: 'EUR' } };
  const token = await restoreTokenOf(ctx, saved.id);
  const cart = await readCart(inEuros, id);
  t.is(cart.currency, 'EUR');
  const line = { cartId: id, lineId: cart.lines[0]?.id ?? '' };
  t.is((await changeLine(inEuros, line, { quantity: 2 })).currency, 'EUR');
  t.is((await readSavedCart(inEuros, saved.id))?.currency, 'EUR');
  t.is((await restoreCart(inEuros, token)).currency, 'EUR');
});

test('createCart returns an empty cart in the store’s currency that expires after 30 days', async (t) => {
  const { ctx } = t.context;
  const cart = await createCart(ctx, { currency: 'usd', session_id: 'ses-1', customer_id: 'cus-9' });
  t.deepEqual(presentCart(await readCart(ctx, cart.id)), presentCart(cart));
  t.like(presentCart(cart), {
    status: 'active',
    currency: 'USD',
    sessionId: 'ses-1',
    customerId: 'cus-9',
    items: [],
    itemCount: 0,
    subtotalCents: 0,
    version: 1,
  });
  t.is(Date.parse(cart.expiresAt) - Date.parse(cart.createdAt), days(30));
  await t.throwsAsync(createCart(ctx, { currency: 'EUR' }), { code: 'currency_mismatch' });

  t.truthy(await readCart(later(ctx, days(30) - 60_000), cart.id));
  await t.throwsAsync(readCart(later(ctx, days(30)), cart.id), { code: 'not_found' });
});

/** Saves a product again with its first variant only. */
const saveOne = (ctx: Context, { slug, variant }: BuiltProduct, given: Partial<ProductInput> = {}) =>
  transact(ctx, (ctx) => {
    const variants = [{ sku: variant.sku, price_cents: 3800, subscription_price_cents: 3400 }];
    return saveProduct(ctx, { slug, name: 'Oak bowl', variants, ...given }, { prune: true });
  });

test('addLine takes the catalogue’s data and adds to the line of an equal item', async (t) => {
  const { ctx } = t.context;
  const {
    id: productId,
    slug,
    variant,
  } = await buildProduct(ctx, {
    images: [{ url: 'https://cdn.example/bowl.jpg' }],
    variants: [{ name: 'Small', stock: 3, low_stock_at: 3 }],
  });
  const { id } = await createCart(ctx, {});
  await addLine(ctx, id, { variantId: variant.id, quantity: 2 });
  const cart = presentCart(
    await addLine(ctx, id, { variantId: variant.id, productId, quantity: 3, unitPriceCents: 3800 }),
  );

  t.is(cart.items.length, 1);
  t.like(cart.items[0], {
    variantId: variant.id,
    productId,
    productSlug: slug,
    name: 'Oak bowl',
    variantName: 'Small',
    sku: variant.sku,
    imageUrl: 'https://cdn.example/bowl.jpg',
    quantity: 5,
    unitPriceCents: 3800,
    lineTotalCents: 19_000,
    purchaseType: 'one_time',
    subscriptionInterval: null,
    stockStatus: 'low_stock',
    maxQuantity: 3,
    priceChanged: false,
  });
  t.like(cart, { itemCount: 5, subtotalCents: 19_000, version: 3 });
});

test('addLine keeps purchase types and intervals as separate lines', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { purchase_types: ['one_time', 'subscription'] });
  const { id } = await createCart(ctx, {});
  await addLine(ctx, id, { variantId: variant.id });
  await addLine(ctx, id, { variantId: variant.id, purchaseType: 'subscription', subscriptionInterval: 'month' });
  await addLine(ctx, id, { variantId: variant.id, purchaseType: 'subscription', subscriptionInterval: 'quarter' });
  const cart = presentCart(
    await addLine(ctx, id, { variantId: variant.id, purchaseType: 'subscription', subscriptionInterval: 'month' }),
  );
  t.deepEqual(
    cart.items.map(({ purchaseType, subscriptionInterval, quantity, unitPriceCents }) => [
      purchaseType,
      subscriptionInterval,
      quantity,
      unitPriceCents,
    ]),
    [
      ['one_time', null, 1, 3800],
      ['subscription', 'month', 2, 3400],
      ['subscription', 'quarter', 1, 3400],
    ],
  );
});

test('addLine requires a variant only for a product with several', async (t) => {
  const { ctx } = t.context;
  const single = await buildProduct(ctx, { purchase_types: ['one_time', 'subscription'] });
  const several = await buildProduct(ctx, { variants: [{ name: 'S' }, { name: 'L' }] });
  const { id } = await createCart(ctx, {});

  const unnamed = presentCart(await addLine(ctx, id, { productId: single.id }));
  t.like(unnamed.items[0], { variantId: null, productId: single.id, sku: single.variant.sku });
  const named = presentCart(await addLine(ctx, id, { variantId: single.variant.id }));
  t.like(named.items[0], { variantId: single.variant.id, quantity: 2 });
  const again = presentCart(await addLine(ctx, id, { productId: single.id }));
  t.like(
    again.items[0],
    { variantId: single.variant.id, quantity: 3 },
    'a shopper who has chosen it sees what was chosen',
  );
  const subscribed = presentCart(
    await addLine(ctx, id, { productId: single.id, purchaseType: 'subscription', subscriptionInterval: 'month' }),
  );
  t.is(subscribed.items[1]?.variantId, single.variant.id);

  await t.throwsAsync(addLine(ctx, id, { productId: several.id }), { code: 'variant_required' });
  await t.throwsAsync(addLine(ctx, id, { productId: several.id, variantId: single.variant.id }), {
    code: 'unknown_product',
  });
});

test('addLine rejects products that are not sold, or not in this way', async (t) => {
  const { ctx, services } = t.context;
  const { variant } = await buildProduct(ctx);
  const draft = await buildProduct(ctx, { status: 'draft' });
  const monthly = await buildProduct(ctx, { purchase_types: ['subscription'], subscription_intervals: ['month'] });
  const once = await buildProduct(ctx, {
    subscription_intervals: ['month'],
    variants: [{ subscription_price_cents: 3400 }],
  });
  const removed = await buildProduct(ctx);
  await transact(ctx, (ctx) => removeProduct(ctx, removed.slug));
  const fewer = await buildProduct(ctx, { variants: [{ name: 'S' }, { name: 'L' }] });
  await saveOne(ctx, fewer);
  const dropped = fewer.variants[1]?.id ?? '';
  const theirs = await buildProduct({ ...ctx, tenant: await buildTenant(services) });
  const { id, version } = await createCart(ctx, {});

  for (const variantId of [draft.variant.id, removed.variant.id, dropped, theirs.variant.id, 'var_none']) {
    await t.throwsAsync(addLine(ctx, id, { variantId }), { code: 'unknown_product' });
  }
  for (const { id: variantId } of [variant, once.variant]) {
    await t.throwsAsync(addLine(ctx, id, { variantId, purchaseType: 'subscription', subscriptionInterval: 'month' }), {
      code: 'price_unavailable',
    });
  }
  await t.throwsAsync(addLine(ctx, id, { variantId: monthly.variant.id }), { code: 'price_unavailable' });
  await t.throwsAsync(
    addLine(ctx, id, { variantId: monthly.variant.id, purchaseType: 'subscription', subscriptionInterval: 'quarter' }),
    { code: 'price_unavailable' },
  );
  t.is((await readCart(ctx, id)).version, version);
});

test('addLine ignores the caller’s price, except to show that it changed', async (t) => {
  const { ctx } = t.context;
  const { slug, variant } = await buildProduct(ctx);
  const { id } = await createCart(ctx, {});
  t.like(presentCart(await addLine(ctx, id, { variantId: variant.id, unitPriceCents: 1 })).items[0], {
    unitPriceCents: 3800,
    priceChanged: true,
  });
  t.like(presentCart(await addLine(ctx, id, { variantId: variant.id, unitPriceCents: 3800 })).items[0], {
    priceChanged: false,
  });

  await transact(ctx, (ctx) =>
    saveProduct(ctx, { slug, name: 'Oak bowl', variants: [{ sku: variant.sku, price_cents: 4200 }] }),
  );
  t.like(presentCart(await readCart(ctx, id)).items[0], {
    unitPriceCents: 4200,
    lineTotalCents: 8400,
    priceChanged: true,
  });

  await addLine(ctx, id, { variantId: variant.id });
  await transact(ctx, (ctx) => removeProduct(ctx, slug));
  t.like(presentCart(await readCart(ctx, id)).items[0], {
    stockStatus: 'out_of_stock',
    maxQuantity: 0,
    unitPriceCents: 4200,
    priceChanged: false,
  });
});

test('a line cannot be bought any more once its product or variant is not sold, or not in this way', async (t) => {
  const { ctx } = t.context;
  const twoWays = ['one_time', 'subscription'] as const;
  const monthly = { purchaseType: 'subscription', subscriptionInterval: 'month' } as const;
  const hidden: Partial<ProductInput> = { purchase_types: [...twoWays], status: 'draft' };
  for (const [now, line] of [
    [hidden, {}],
    [hidden, monthly],
    [{ purchase_types: ['subscription'] }, {}],
    [{ subscription_intervals: ['month'] }, monthly],
    [{ purchase_types: [...twoWays], subscription_intervals: ['quarter'] }, monthly],
  ] as const) {
    const product = await buildProduct(ctx, { purchase_types: [...twoWays] });
    const { id } = await createCart(ctx, {});
    t.not((await addLine(ctx, id, { variantId: product.variant.id, ...line })).lines[0]?.priceCents, null);
    await saveOne(ctx, product, now as Partial<ProductInput>);
    t.is((await readCart(ctx, id)).lines[0]?.priceCents, null, JSON.stringify([now, line]));
  }

  const fewer = await buildProduct(ctx, { variants: [{ name: 'S' }, { name: 'L' }] });
  const { id } = await buildCart(
    ctx,
    fewer.variants.map(({ id }) => id),
  );
  await saveOne(ctx, fewer);
  t.deepEqual(
    (await readCart(ctx, id)).lines.map(({ priceCents }) => priceCents),
    [3800, null],
  );
});

test('an expired cart cannot be changed', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx, [variant.id]);
  const line = { cartId: cart.id, lineId: cart.lines[0]?.id ?? '' };
  const [last, over] = [
    later(ctx, days(30) - 60_000),
    later(ctx, Date.parse(cart.expiresAt) - ctx.clock.now().getTime()),
  ];
  const changed = await addLine(last, cart.id, { variantId: variant.id });
  t.true(Date.parse(changed.updatedAt) > Date.parse(cart.updatedAt));
  await t.throwsAsync(addLine(over, cart.id, { variantId: variant.id }), { code: 'not_found' });
  await t.throwsAsync(changeLine(over, line, { quantity: 2 }), { code: 'not_found' });
  await t.throwsAsync(removeLine(over, line), { code: 'not_found' });
});

test('changeLine changes a line, merges it with an equal one, and removes it', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { purchase_types: ['one_time', 'subscription'] });
  const other = await buildProduct(ctx);
  const cart = await buildCart(ctx, [variant.id, other.variant.id]);
  const cartId = cart.id;
  const [first, second] = cart.lines.map(({ id }) => ({ cartId, lineId: id }));
  if (!first || !second) return t.fail();

  t.like((await changeLine(ctx, first, { quantity: 4 })).lines[0], { quantity: 4, id: first.lineId });
  for (const nothing of [{}, { quantity: null }]) {
    t.like((await changeLine(ctx, first, nothing)).lines[0], { quantity: 4 });
  }
  const subscribed = await changeLine(ctx, first, { purchaseType: 'subscription', subscriptionInterval: 'month' });
  t.like(subscribed.lines[0], {
    id: first.lineId,
    quantity: 4,
    purchaseType: 'subscription',
    interval: 'month',
    priceCents: 3400,
    seenPriceCents: 3400,
  });
  t.like((await changeLine(ctx, first, { subscriptionInterval: 'quarter', quantity: 2 })).lines[0], {
    quantity: 2,
    interval: 'quarter',
  });

  await addLine(ctx, cartId, { variantId: variant.id, quantity: 3 });
  const merged = await changeLine(ctx, first, { purchaseType: 'one_time' });
  t.deepEqual(
    merged.lines.map(({ quantity, purchaseType }) => [quantity, purchaseType]),
    [
      [1, 'one_time'],
      [5, 'one_time'],
    ],
  );

  const removed = await removeLine(ctx, second);
  t.is(removed.lines.length, 1);
  await t.throwsAsync(removeLine(ctx, second), { code: 'not_found' });
  const [last] = removed.lines;
  t.deepEqual((await changeLine(ctx, { cartId, lineId: last?.id ?? '' }, { quantity: 0 })).lines, []);
});

test('changeLine names the variant of a line that becomes a subscription', async (t) => {
  const { ctx } = t.context;
  const { id: productId, variant } = await buildProduct(ctx, { purchase_types: ['one_time', 'subscription'] });
  const { id: cartId } = await createCart(ctx, {});
  const [line] = (await addLine(ctx, cartId, { productId })).lines;
  const monthly = { purchaseType: 'subscription', subscriptionInterval: 'month' } as const;
  const changed = presentCart(await changeLine(ctx, { cartId, lineId: line?.id ?? '' }, monthly));
  t.is(changed.items[0]?.variantId, variant.id);
});

test('changeLine leaves the line unchanged when the new purchase type is not sold', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx, [variant.id]);
  const line = { cartId: cart.id, lineId: cart.lines[0]?.id ?? '' };
  await t.throwsAsync(changeLine(ctx, line, { purchaseType: 'subscription', subscriptionInterval: 'month' }), {
    code: 'price_unavailable',
  });
  const missing = await t.throwsAsync(changeLine(ctx, line, { purchaseType: 'subscription' }), {
    code: 'invalid_request',
  });
  t.like(missing, { extensions: { errors: only({ path: '/subscriptionInterval' }) } });
  t.deepEqual(await readCart(ctx, cart.id), cart);
});

test('addLine enforces 100 lines and a quantity of 999 with concurrent requests', async (t) => {
  const { ctx } = t.context;
  const variants = Array.from({ length: 100 }, (_, index) => ({ name: `No. ${index}` }));
  const [first, second] = [await buildProduct(ctx, { variants }), await buildProduct(ctx, { variants })];
  const { id } = await createCart(ctx, {});

  const ids = [...first.variants, ...second.variants.slice(0, 20)].map((variant) => variant.id);
  const added = await Promise.allSettled(ids.map((variantId) => addLine(ctx, id, { variantId })));
  const refused = added.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.is(refused.length, 20);
  for (const error of refused) t.like(error, { code: 'too_many_items' });
  const cart = await readCart(ctx, id);
  t.is(cart.lines.length, 100);
  t.is(cart.version, 101);

  const variantId = cart.lines[0]?.variantId ?? '';
  await addLine(ctx, id, { variantId, quantity: 990 });
  const more = await Promise.allSettled(Array.from({ length: 20 }, () => addLine(ctx, id, { variantId })));
  t.is(more.filter(({ status }) => status === 'fulfilled').length, 8);
  t.is((await readCart(ctx, id)).lines[0]?.quantity, 999);
  await removeLine(ctx, { cartId: id, lineId: cart.lines[1]?.id ?? '' });
  const [another] = second.variants.slice(20);
  t.is((await addLine(ctx, id, { variantId: another?.id ?? '' })).lines.length, 100, 'a removed line leaves room');
  const error = await t.throwsAsync(addLine(ctx, id, { variantId }), { code: 'invalid_request' });
  t.like(error, { extensions: { errors: only({ path: '/quantity' }) } });
});

test('addLine sums a hundred concurrent additions of one product', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx);
  const { id } = await createCart(ctx, {});
  await Promise.all(Array.from({ length: 100 }, () => addLine(ctx, id, { variantId: variant.id })));
  const cart = await readCart(ctx, id);
  t.deepEqual(
    cart.lines.map(({ quantity }) => quantity),
    [100],
  );
  t.is(cart.version, 101);
});

test('addLine returns the lines that concurrent requests added', async (t) => {
  const { ctx } = t.context;
  const { variants } = await buildProduct(ctx, {
    variants: Array.from({ length: 30 }, (_, index) => ({ name: `No. ${index}` })),
  });
  const { id: cartId } = await createCart(ctx, {});
  const added = await Promise.all(variants.map((variant) => addLine(ctx, cartId, { variantId: variant.id })));
  for (const { version, lines } of added) t.is(lines.length, version - 1);
  t.deepEqual(await addLine(ctx, cartId, { variantId: variants[0]?.id ?? '' }), await readCart(ctx, cartId));

  const lines = (await readCart(ctx, cartId)).lines.map(({ id }) => ({ cartId, lineId: id }));
  const { version } = await readCart(ctx, cartId);
  const removed = await Promise.all(lines.slice(0, 20).map((line) => removeLine(ctx, line)));
  for (const cart of removed) t.is(cart.lines.length, 30 - (cart.version - version));
  const left = lines.slice(20);
  const changed = await Promise.all(left.map((line) => changeLine(ctx, line, { quantity: 7 })));
  for (const cart of changed) t.is(cart.lines.length, 10);
  const quantities = changed.map(({ lines }) => lines.filter(({ quantity }) => quantity === 7).length);
  t.is(Math.max(...quantities), 10, 'the last one sees them all');
  const [first] = left;
  if (!first) return t.fail();
  t.deepEqual(await changeLine(ctx, first, { quantity: 8 }), await readCart(ctx, cartId));
});

test('markBought makes the cart read-only', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx, [variant.id]);
  const convert = () => transact(ctx, (ctx) => markBought(ctx, { email: null, cartId: cart.id, sessionId: null }));
  await convert();
  await convert();
  const converted = await readCart(ctx, cart.id);
  t.like(presentCart(converted), { status: 'converted', version: cart.version + 1 });
  const line = { cartId: cart.id, lineId: cart.lines[0]?.id ?? '' };
  await t.throwsAsync(addLine(ctx, cart.id, { variantId: variant.id }), { code: 'not_found' });
  await t.throwsAsync(changeLine(ctx, line, { quantity: 2 }), { code: 'not_found' });
  await t.throwsAsync(removeLine(ctx, line), { code: 'not_found' });
});

test('readCart and changeLine do not find carts of another store or lines of another cart', async (t) => {
  const { ctx, services } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx, [variant.id]);
  const other = await createCart(ctx, {});
  const lineId = cart.lines[0]?.id ?? '';
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  const refused = { code: 'not_found' };
  await t.throwsAsync(readCart(otherStore, cart.id), refused);
  await t.throwsAsync(addLine(otherStore, cart.id, { variantId: variant.id }), refused);
  await t.throwsAsync(changeLine(otherStore, { cartId: cart.id, lineId }, { quantity: 2 }), refused);
  await t.throwsAsync(removeLine(otherStore, { cartId: cart.id, lineId }), refused);
  await t.throwsAsync(changeLine(ctx, { cartId: other.id, lineId }, { quantity: 2 }), refused);
  await t.throwsAsync(removeLine(ctx, { cartId: other.id, lineId }), refused);
  t.deepEqual(await readCart(ctx, cart.id), cart);
});

test('a change of a cart leaves the other carts of its store as they are', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { purchase_types: ['one_time', 'subscription'] });
  const { variant: extra } = await buildProduct(ctx);
  const session = { email: null, sessionId: null };
  await buildCart(ctx, [variant.id, extra.id], { session_id: 'ses-1' });
  const [{ id: cartId, lines }] = [await buildCart(ctx, [variant.id])];
  await buildSavedCart(ctx);
  const saved = await buildSavedCart(ctx);
  const rowsOfOthers = () =>
    read(
      ctx,
      sql`
      select to_jsonb(c) as row from carts c where tenant_id = ${ctx.tenant.id} and id <> ${cartId}
      union all select to_jsonb(l) from cart_lines l where tenant_id = ${ctx.tenant.id} and cart_id <> ${cartId}
      union all select to_jsonb(s) from saved_carts s where tenant_id = ${ctx.tenant.id} and email <> ${saved.email}
      order by row`,
    );
  const before = await rowsOfOthers();
  const line = { cartId, lineId: lines[0]?.id ?? '' };
  const token = await restoreTokenOf(ctx, saved.id);
  const changes = {
    addLine: () => addLine(ctx, cartId, { variantId: extra.id }),
    'addLine of an equal item': () => addLine(ctx, cartId, { variantId: variant.id }),
    changeLine: () =>
      changeLine(ctx, line, { quantity: 4, purchaseType: 'subscription', subscriptionInterval: 'month' }),
    'changeLine that merges': async () => {
      await addLine(ctx, cartId, { variantId: variant.id });
      return changeLine(ctx, line, { purchaseType: 'one_time' });
    },
    removeLine: async () => removeLine(ctx, { cartId, lineId: (await readCart(ctx, cartId)).lines[0]?.id ?? '' }),
    saveCart: () => buildSavedCart(ctx, { email: saved.email }),
    restoreCart: () => restoreCart(ctx, token),
    markBought: () => transact(ctx, (ctx) => markBought(ctx, { ...session, email: saved.email, cartId })),
  };
  for (const [name, change] of Object.entries(changes)) {
    await change();
    t.deepEqual(await rowsOfOthers(), before, name);
  }
});

test.serial('readCart and changeLine execute one statement each', async (t) => {
  const { ctx, services } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx, [variant.id]);
  const line = { cartId: cart.id, lineId: cart.lines[0]?.id ?? '' };
  const count = async (work: () => Promise<unknown>) => (await countStatements(services, work)).statements.length;
  t.is(await count(() => readCart(ctx, cart.id)), 1);
  t.is(await count(() => createCart(ctx, {})), 1);
  t.is(await count(() => addLine(ctx, cart.id, { variantId: variant.id })), 1);
  t.is(await count(() => changeLine(ctx, line, { quantity: 5 })), 1);
  t.is(await count(() => removeLine(ctx, line)), 1);
});

test.serial('a write sets the tenant before it reads any row, whatever the query plan', async (t) => {
  const { ctx, services } = t.context;
  const { variant } = await buildProduct(ctx);
  const client = await services.context().database.pool.connect();
  // Without indexes, a connection reads whole tables, including rows of other tenants.
  await client.query(
    'set enable_indexscan = off; set enable_bitmapscan = off; set enable_nestloop = off; ' +
      'set plan_cache_mode = force_generic_plan',
  );
  const pool = { query: (query: object) => client.query(query as never) };
  try {
    const clumsy: Context = { ...ctx, database: { ...ctx.database, pool: pool as never } };
    const cart = await buildCart(clumsy, [variant.id, variant.id]);
    t.is(cart.lines[0]?.quantity, 2);
    t.deepEqual((await removeLine(clumsy, { cartId: cart.id, lineId: cart.lines[0]?.id ?? '' })).lines, []);
  } finally {
    client.release(true);
  }
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
      { product_slug: bowl.slug, quantity: 1 },
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

  t.is(saved.email, 'ada@example.com');
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
      [bowl.slug, 'Oak bowl', 3800, 3800, 'ok'],
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
  const { email } = await buildSavedCart(ctx);
  const token = await unsubscribeTokenOf(ctx, email);
  t.is(await readMailPreference(ctx, token), 'subscribed');
  t.false(await isUnsubscribed(ctx, email));

  const other = await buildSavedCart(ctx);
  t.is(await unsubscribe(ctx, token), 'unsubscribed');
  t.is(await unsubscribe(ctx, token), 'unsubscribed');
  t.is(await readMailPreference(ctx, await unsubscribeTokenOf(ctx, other.email)), 'subscribed');
  await buildSavedCart(ctx, { email: email.toUpperCase() });
  t.is(await readMailPreference(ctx, token), 'unsubscribed');
  t.true(await isUnsubscribed(ctx, email));

  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  await buildSavedCart(otherStore, { email });
  t.false(await isUnsubscribed(otherStore, email));
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
