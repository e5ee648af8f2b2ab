import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { cancelSubscription, rejectCancellation } from '#src/domain/bulk/index.ts';
import { removeProduct, saveProduct } from '#src/domain/catalog/index.ts';
import { erasePersonalData } from '#src/domain/privacy/index.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { request, run } from '#test/domain/shipping/support.ts';
import { dieAt } from '#test/support/die-at.ts';
import { buildProduct, type GivenProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildSubscription, snapshotOf } from '#test/support/factories/subscriptions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { deedsOf, type OwnerContext, pagesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
const payments = fakePaymentGateway();
const shipping = fakeShippingByStore();
useOwner(test, { ports: { payments, shipping: shipping.gateway } });

type T = { context: OwnerContext };

async function preview(t: T, body: object): Promise<any> {
  const response = await t.context.owner.post('/bulk-changes', body);
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.bulk_change;
}

/** Follow a bulk change to its end. @returns it as it is then */
const ended = (t: T, { id }: { id: string }): Promise<any> =>
  until(async () => {
    await runJobs(t.context.services);
    const { body } = await t.context.owner.get(`/bulk-changes/${id}`);
    return body.bulk_change.finished_at && body.bulk_change;
  });

async function change(t: T, body: object): Promise<any> {
  const { id } = await preview(t, body);
  await t.context.owner.post(`/bulk-changes/${id}/run`);
  return ended(t, { id });
}

async function undo(t: T, { id }: { id: string }): Promise<any> {
  const { status, body } = await t.context.owner.post(`/bulk-changes/${id}/undo`);
  if (status !== 202) throw new Error(JSON.stringify(body));
  return ended(t, body.bulk_change);
}

const errorsOf = async (t: T, { id }: { id: string }) =>
  ((await t.context.owner.get(`/bulk-changes/${id}/errors`)).body as string).trim().split('\r\n');

/** Products by their slugs, as their owner sees them. */
async function productsOf(t: T): Promise<Record<string, any>> {
  const { body } = await t.context.owner.get('/products?limit=100');
  return Object.fromEntries(body.products.map((product: any) => [product.slug, product]));
}

const pricesOf = async (t: T, slug: string): Promise<number[]> =>
  (await productsOf(t))[slug].variants.map(({ price_cents: cents }: any) => cents);

const woodenBowl: GivenProduct = {
  slug: 'bowl',
  tags: ['wood'],
  category: 'kitchen',
  variants: [
    { sku: 'S', price_cents: 1005 },
    { sku: 'L.2', price_cents: 2000, compare_at_cents: 2500 },
  ],
};

test('a bulk change previews what it selects, changes nothing before it is run, and can be undone', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const bowl = await buildProduct(ctx, woodenBowl);
  await buildProduct(ctx, { slug: 'cup', tags: ['clay'], variants: [{ sku: 'CUP', price_cents: 500 }] });
  const seen = await preview(t, { kind: 'prices', filter: { tag: 'wood' }, change: { percent: -10 } });
  t.like(seen, { state: 'previewed', rows: { total: 1, done: 0, failed: 0 }, can_undo: false });
  t.deepEqual(seen.samples, [
    {
      subject: 'product bowl',
      action: 'updated',
      problem: null,
      values: { 'variants.S.price_cents': [1005, 905], 'variants.L.2.price_cents': [2000, 1800] },
    },
  ]);
  t.deepEqual(await pricesOf(t, 'bowl'), [1005, 2000]);
  // What gets the tag later was not selected.
  await transact(ctx, (ctx) =>
    saveProduct(ctx, { slug: 'cup', name: 'Cup', tags: ['wood'], variants: [{ sku: 'CUP', price_cents: 500 }] }),
  );

  const path = `/bulk-changes/${seen.id}`;
  t.is((await owner.post(`${path}/run`)).status, 202);
  t.is((await owner.post(`${path}/run`)).status, 202);
  const done = await ended(t, seen);
  t.like(done, { state: 'completed', rows: { done: 1, failed: 0 }, changes: { updated: 1 }, can_undo: true });
  t.deepEqual(await pricesOf(t, 'bowl'), [905, 1800]);
  t.deepEqual(await pricesOf(t, 'cup'), [500]);
  t.is(resultOf(await owner.post(`${path}/run`)), '202');

  const [one, other] = await Promise.all([owner.post(`${path}/undo`), owner.post(`${path}/undo`)]);
  t.is(one.body.bulk_change.id, other.body.bulk_change.id);
  t.like(await ended(t, one.body.bulk_change), { state: 'completed', undo_of: seen.id, changes: { updated: 1 } });
  t.deepEqual(await pricesOf(t, 'bowl'), [1005, 2000]);
  t.like((await owner.get(path)).body.bulk_change, { can_undo: false, undone_by: one.body.bulk_change.id });
  t.is((await pagesOf(owner, '/bulk-changes', 'bulk_changes')).flat().length, 2);
  t.deepEqual(
    (await deedsOf(ctx)).filter((deed) => deed !== 'product.updated'),
    ['bulk_change.started', 'bulk_change.started'],
  );
  t.deepEqual(await errorsOf(t, seen), ['id,subject,row,problem']);
  for (const action of ['', '/errors']) t.is(resultOf(await otherOwner.get(path + action)), '404 not_found');
  for (const action of ['run', 'cancel', 'undo']) {
    t.is(resultOf(await otherOwner.post(`${path}/${action}`)), '404 not_found', action);
  }
  const key = await buildKey(ctx, ['admin.orders:write']);
  const body = { kind: 'status', ids: [bowl.id], change: { status: 'draft' } };
  t.is(
    resultOf(await t.context.api.call('POST', '/api/v1/admin/bulk-changes', { key, body })),
    '403 insufficient_scope',
  );
});

test('a bulk change says by what it selected, until the person who is named is erased', async (t) => {
  const { ctx, owner } = t.context;
  const filter = { email: 'Bulk@example.com', from: '2026-01-01T00:00:00Z' };
  const { id } = await preview(t, { kind: 'emails', filter, change: { email: 'receipt' } });
  const filterOf = async (id: string) => (await owner.get(`/bulk-changes/${id}`)).body.bulk_change.filter;
  t.deepEqual(await filterOf(id), filter);
  const named = await preview(t, { kind: 'emails', ids: [newId('ord')], change: { email: 'receipt' } });
  t.is(await filterOf(named.id), null);
  t.is((await erasePersonalData(ctx, { email: 'bulk@example.com' })).erased['bulk_operations'], 1);
  t.is(await filterOf(id), null);
});

test('the audit log lists the bulk changes of a product by the id of the product, with its name', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildProduct(ctx, woodenBowl);
  const done = await change(t, { kind: 'prices', ids: [id], change: { percent: 10 } });
  await undo(t, done);
  const fields = ['variants.S.price_cents', 'variants.L.2.price_cents'];
  const { entries } = (await owner.get(`/audit-log?subject_kind=product&subject_id=${id}`)).body;
  t.deepEqual(
    entries.map(({ action, actor, after }: any) => [action, actor.kind, after]),
    [1, 2].map(() => ['product.updated', 'key', { name: 'product bowl', fields }]),
  );
});

test('prices are not rounded to what the currency cannot charge', async (t) => {
  const { ctx, services, api } = t.context;
  const key = await buildKey({ ...ctx, tenant: await buildTenant(services, { currency: 'KWD' }) }, ['admin:write']);
  const preview = (step: number) => {
    const body = { kind: 'prices', filter: {}, change: { percent: 5, round_to_cents: step } };
    return api.call('POST', '/api/v1/admin/bulk-changes', { key, body });
  };
  const { status, body } = await preview(5);
  t.is(status, 400);
  const detail = 'must be a multiple of 10, to be charged in KWD';
  t.deepEqual(body.errors, [{ path: '/change/round_to_cents', code: 'refused', detail }]);
  t.is((await preview(50)).status, 201);
});

test('a percentage is rounded as it is written', async (t) => {
  const { id } = await buildProduct(t.context.ctx, { slug: 'pen', variants: [{ price_cents: 350 }] });
  const increased = await change(t, { kind: 'prices', ids: [id], change: { percent: 15 } });
  t.like(increased, { changes: { updated: 1 } });
  t.deepEqual(await pricesOf(t, 'pen'), [403]);
});

test('a bulk change is undone only when it has ended', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildProduct(ctx, woodenBowl);
  const done = await change(t, { kind: 'prices', ids: [id], change: { percent: 10 } });
  await transact(ctx, ({ tx }) =>
    tx.execute(
      sql`update bulk_operations set finished_at = null, state = 'running' where tenant_id = ${ctx.tenant.id}`,
    ),
  );
  t.is(resultOf(await owner.post(`/bulk-changes/${done.id}/undo`)), '409 not_undoable');
  t.false((await owner.get(`/bulk-changes/${done.id}`)).body.bulk_change.can_undo);
});

test('prices are rounded, never fall below zero, and are undone unless they were changed since', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildProduct(ctx, woodenBowl);
  const { id: cheap } = await buildProduct(ctx, { slug: 'pin', variants: [{ price_cents: 40 }] });
  const unknown = newId('prod');
  const ids = [id, cheap, unknown];
  const reduced = await change(t, {
    kind: 'prices',
    ids,
    change: { amount_cents: -45, round_to_cents: 50, prices: ['price_cents', 'compare_at_cents'] },
  });
  t.like(reduced, { rows: { total: 3, failed: 1 }, changes: { updated: 2 } });
  t.deepEqual(await pricesOf(t, 'bowl'), [950, 1950]);
  t.is((await productsOf(t))['bowl'].variants[1].compare_at_cents, 2450);
  t.deepEqual(await pricesOf(t, 'pin'), [0]);
  t.deepEqual((await errorsOf(t, reduced))[1]?.replace(/,\d,/, ','), `${unknown},,There is no such product.`);
  const refused = await change(t, { kind: 'prices', ids: [id, cheap], change: { amount_cents: -951 } });
  t.like(refused, { rows: { failed: 2 } });
  const problem = 'price_cents of S would be below zero.';
  t.like(
    refused.samples.find(({ subject }: any) => subject === 'product bowl'),
    { action: 'rejected', problem },
  );
  t.true((await errorsOf(t, refused)).some((line) => line.startsWith(`${id},product bowl,`) && line.endsWith(problem)));

  const { id: second } = await change(t, { kind: 'prices', ids: [cheap], change: { amount_cents: 7 } });
  const undone = await undo(t, reduced);
  t.like(undone, { rows: { total: 2, failed: 1 }, changes: { updated: 1 } });
  t.regex((await errorsOf(t, undone))[1] ?? '', /price_cents was changed since/);
  t.deepEqual(await pricesOf(t, 'bowl'), [1005, 2000]);
  t.deepEqual(await pricesOf(t, 'pin'), [7]);
  t.like(await undo(t, { id: second }), { changes: { updated: 1 } });
  t.deepEqual(await pricesOf(t, 'pin'), [0]);
});

test('a price above the limit of amounts is rejected for its product alone', async (t) => {
  const { ctx } = t.context;
  const { id: dear } = await buildProduct(ctx, { slug: 'dear', variants: [{ price_cents: 6_000_000_000 }] });
  const { id: cheap } = await buildProduct(ctx, { slug: 'cheap', variants: [{ price_cents: 100 }] });
  const done = await change(t, { kind: 'prices', ids: [dear, cheap], change: { percent: 100 } });
  t.like(done, { rows: { total: 2, failed: 1 }, changes: { updated: 1 } });
  t.regex((await errorsOf(t, done))[1] ?? '', /price_cents of .* would be more than 9999999999/);
  t.deepEqual([await pricesOf(t, 'dear'), await pricesOf(t, 'cheap')], [[6_000_000_000], [200]]);
});

test('a change of prices and its undo leave the variants in their order', async (t) => {
  const { ctx } = t.context;
  const skus = ['SMALL', 'MIDDLE', 'L'];
  const variants = skus.map((sku, index) => ({ sku, price_cents: 1000 * index }));
  const { id } = await buildProduct(ctx, { slug: 'sizes', variants });
  const done = await change(t, { kind: 'prices', ids: [id], change: { percent: 10 } });
  await undo(t, done);
  const { variants: after } = (await productsOf(t))['sizes'];
  t.deepEqual(
    after.map(({ sku }: any) => sku),
    skus,
  );
  t.deepEqual(await pricesOf(t, 'sizes'), [0, 1000, 2000]);
});

test('tags, status and stock of many are changed and undone', async (t) => {
  const { ctx } = t.context;
  const bowl = await buildProduct(ctx, woodenBowl);
  await buildProduct(ctx, { slug: 'plan', status: 'draft', variants: [{ sku: 'P', stock: null }] });
  await buildProduct(ctx, { slug: 'gone', variants: [{ sku: 'G', stock: 5 }] });
  await transact(ctx, (ctx) => removeProduct(ctx, 'gone'));
  const tagged = await change(t, { kind: 'tags', filter: {}, change: { add: ['sale'], remove: ['wood'] } });
  t.like(tagged, { rows: { total: 2 }, changes: { updated: 2 } });
  t.deepEqual((await productsOf(t))['bowl'].tags, ['sale']);
  const hidden = await change(t, { kind: 'status', filter: { category: 'kitchen' }, change: { status: 'draft' } });
  t.like(hidden, { rows: { total: 1 }, changes: { updated: 1 } });
  const again = await change(t, { kind: 'status', filter: { status: 'draft' }, change: { status: 'draft' } });
  t.like(again, { changes: { updated: 0, unchanged: 2 }, can_undo: false });
  t.is(resultOf(await t.context.owner.post(`/bulk-changes/${again.id}/undo`)), '409 not_undoable');

  const [small, large] = bowl.variants;
  const stocked = await change(t, { kind: 'stock', filter: {}, change: { change: -30 } });
  t.like(stocked, { rows: { total: 3, failed: 1 }, changes: { updated: 2 } });
  t.regex((await errorsOf(t, stocked))[1] ?? '', /^var_\w+,variant P,\d,P is not tracked\.$/);
  await change(t, { kind: 'stock', ids: [small?.id], change: { change: -5 } });
  const counted = await change(t, { kind: 'stock', ids: [large?.id], change: { quantity: null } });
  for (const done of [counted, stocked, hidden, tagged]) t.like(await undo(t, done), { rows: { failed: 0 } });
  t.is((await stockOf(ctx, small?.id ?? '')).stock, 95);
  t.is((await stockOf(ctx, large?.id ?? '')).stock, 100);
  t.like((await productsOf(t))['bowl'], { tags: only('wood'), status: 'published' });
});

test.serial('labels are retried by reason, receipts are sent again, and subscriptions are canceled', async (t) => {
  const { ctx, tenant, owner } = t.context;
  await buildShippingAccount(ctx);
  await buildPaymentAccount(ctx);
  const { order } = await request(ctx, { email: 'ada@example.com', address: { street1: null } });
  await run(ctx, order.id);
  const { id: bought, orderNumber: boughtNumber } = await buildPaidOrder(ctx, { email: 'bob@example.com' });
  const { id: unpaid, orderNumber: unpaidNumber } = await buildPaidOrder(ctx, { status: 'pending' });

  const retried = await change(t, { kind: 'label_retries', filter: { reason_code: 'missing_address' } });
  t.like(retried, { rows: { total: 1, failed: 0 }, changes: { updated: 1 }, can_undo: false });
  t.is(retried.samples[0].subject, `order ${order.orderNumber}`);
  t.is((await preview(t, { kind: 'label_retries', filter: { reason_code: 'cost_cap' } })).rows.total, 0);
  t.is(shipping.of(tenant.id).bought().length, 0);

  const tomorrow = new Date(ctx.clock.now().getTime() + days(1)).toISOString();
  const mailed = await change(t, {
    kind: 'emails',
    filter: { from: tomorrow },
    change: { email: 'receipt' },
  });
  t.is(mailed.rows.total, 0);
  await transact(ctx, ({ tx }) =>
    tx.execute(
      sql`update orders set imported_at = created_at, number = null where tenant_id = ${tenant.id} and id = ${bought}`,
    ),
  );
  const all = await preview(t, { kind: 'emails', filter: {}, change: { email: 'receipt' } });
  t.deepEqual(
    all.samples.map(({ subject }: any) => subject),
    [`order ${order.orderNumber}`],
    'unpaid and imported orders have to be named',
  );
  const sent = await change(t, { kind: 'emails', ids: [bought, unpaid], change: { email: 'receipt' } });
  t.like(sent, { changes: { updated: 1 }, rows: { failed: 1 } });
  t.deepEqual(
    sent.samples.map(({ subject, action }: any) => [subject, action]).toSorted(),
    [
      [`order ${boughtNumber}`, 'updated'],
      [`order ${unpaidNumber}`, 'rejected'],
    ].toSorted(),
  );
  const mails = await read(ctx, sql`select recipient from mails where tenant_id = ${tenant.id} and kind = 'receipt'`);
  t.deepEqual(mails, [{ recipient: 'bob@example.com' }]);

  const [, { id: productId }] = [
    await buildProduct(ctx, { slug: 'tea', name: 'Tea' }),
    await buildProduct(ctx, { slug: 'coffee', name: 'Coffee' }),
    await buildProduct(ctx, { slug: 'milk', name: 'Milk' }),
  ] as const;
  const subscriptions = [];
  for (const status of ['active', 'active', 'canceled'] as const) {
    const built = await buildSubscription(ctx, { productId, status });
    payments.subscriptions.set(built.paymentSubscriptionId, snapshotOf(built.paymentSubscriptionId));
    subscriptions.push(built);
  }
  await buildSubscription(ctx);
  const { id, samples } = await preview(t, {
    kind: 'subscription_cancellations',
    filter: { product_id: productId },
  });
  t.is(samples.length, 2);
  for (const { subject } of samples) t.regex(subject, / to Coffee$/);
  await runJobs(t.context.services);
  t.is(payments.subscriptionChanges.size, 0, 'a preview cancels nothing');
  const { id: dropped } = await preview(t, { kind: 'subscription_cancellations', filter: { product_id: productId } });
  await owner.post(`/bulk-changes/${dropped}/cancel`);
  await cancelSubscription(ctx, { operationId: dropped, number: 1, subscriptionId: subscriptions[0]?.id ?? '' });
  t.is(payments.subscriptionChanges.size, 0, 'nor does a canceled bulk change');
  payments.misfortunes.changeSubscription = [{ failure: 'refused' }];
  await owner.post(`/bulk-changes/${id}/run`);
  const canceled = await until(async () => {
    const found = await ended(t, { id });
    return found.rows.failed > 0 && found;
  });
  t.like(canceled, { rows: { total: 2, done: 2, failed: 1 }, changes: { updated: 1 } });
  t.deepEqual(
    [...payments.subscriptionChanges].map((key) => key.includes('cancel_at_period_end')),
    [true],
  );
  t.regex(
    (await errorsOf(t, { id }))[1] ?? '',
    /^(sub_\w+),subscription \1 to Coffee,\d,The payment provider did not accept this\.$/,
  );
  for (const number of [1, 2, 1, 2]) {
    const subscriptionId = subscriptions[number - 1]?.id ?? '';
    await rejectCancellation(ctx, { operationId: id, number, subscriptionId });
  }
  t.like(await ended(t, { id }), { rows: { failed: 2 }, changes: { updated: 0 } }, 'each counts once');
});

test('a bulk change that cannot be understood is rejected, and one can be canceled', async (t) => {
  const { ctx, owner, otherOwner, services } = t.context;
  const { id } = await buildProduct(ctx, woodenBowl);
  const rejected = async (body: object) => {
    const { status, body: problem } = await owner.post('/bulk-changes', body);
    return [status, ...(problem.errors ?? []).map(({ path }: any) => path)].join(' ');
  };
  const percent = { percent: 1 };
  t.is(await rejected({ kind: 'prices', change: percent }), '400');
  t.is(await rejected({ kind: 'prices', ids: [id], filter: {}, change: percent }), '400');
  t.is(await rejected({ kind: 'prices', filter: { tags: 'wood' }, change: percent }), '400 /filter/tags');
  t.is(await rejected({ kind: 'label_retries', filter: { state: 'queued' } }), '400 /filter/state');
  const unknown = await owner.post('/bulk-changes', { kind: 'label_retries', filter: { state: 'queued' } });
  t.is(unknown.body.detail, '/filter/state is not known here.');
  t.regex(await rejected({ kind: 'prices', ids: [id], change: { percent: 1, amount_cents: 1 } }), /^400 \/change/);
  t.regex(await rejected({ kind: 'status', ids: [id] }), /^400 \/change\/status/);
  t.is(await rejected({ kind: 'nothing', ids: [id] }), '400 /kind');
  for (const [kind, given, detail] of [
    ['prices', {}, 'Say by how much: a percentage or an amount, and not both.'],
    ['prices', { percent: 1, amount_cents: 1 }, 'Say by how much: a percentage or an amount, and not both.'],
    ['tags', {}, 'Say which tags: add or remove.'],
    ['stock', {}, 'Say to how many, or by how many: quantity or change.'],
  ] as const) {
    const { errors, ...problem } = (await owner.post('/bulk-changes', { kind, ids: [id], change: given })).body;
    t.is(problem.detail, detail);
    t.deepEqual(
      errors.map(({ path, detail }: any) => [path, detail]),
      [['/change', detail]],
    );
  }

  const { id: changeId } = await preview(t, { kind: 'prices', ids: [id], change: percent });
  t.is(resultOf(await otherOwner.post(`/bulk-changes/${changeId}/cancel`)), '404 not_found');
  const canceled = await owner.post(`/bulk-changes/${changeId}/cancel`);
  t.is(canceled.body.bulk_change.state, 'canceled');
  const run = await owner.post(`/bulk-changes/${changeId}/run`);
  t.is(resultOf(run), '409 not_runnable');
  t.is(run.body.detail, 'It was canceled. Preview it again.');
  await runJobs(services);
  t.deepEqual(await pricesOf(t, 'bowl'), [1005, 2000]);

  const late = await preview(t, { kind: 'prices', ids: [id], change: percent });
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
    update bulk_operations set created_at = created_at - interval '25 hours' where tenant_id = ${ctx.tenant.id}`),
  );
  const expired = await owner.post(`/bulk-changes/${late.id}/run`);
  t.is(resultOf(expired), '409 not_runnable');
  t.is(expired.body.detail, 'It was not run within 24 hours. Preview it again.');
  t.is((await owner.get(`/bulk-changes/${late.id}`)).body.bulk_change.state, 'failed');
});

test('a store keeps its ten newest previews, and what older ones selected is deleted', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildProduct(ctx, woodenBowl);
  const request = { kind: 'prices', ids: [id], change: { percent: 1 } };
  const oldest = await preview(t, request);
  for (let count = 0; count < 10; count += 1) await preview(t, request);
  const selected = await read<{ id: string }>(
    ctx,
    sql`select operation_id as id from bulk_batches where tenant_id = ${ctx.tenant.id}`,
  );
  t.is(selected.length, 10);
  t.false(selected.some((batch) => batch.id === oldest.id));
  const run = await owner.post(`/bulk-changes/${oldest.id}/run`);
  t.is(resultOf(run), '409 not_runnable');
  t.is(run.body.detail, 'Newer previews took its place. Preview it again.');
});

test.serial('a bulk change whose process is killed before any statement changes each price once', async (t) => {
  const { ctx, owner, services } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  for (const slug of ['one', 'two']) await buildProduct(other, { slug });
  for (const slug of ['one', 'two', 'three']) await buildProduct(ctx, { slug, variants: [{ price_cents: 100 }] });
  const { id } = await preview(t, { kind: 'prices', filter: {}, change: { percent: 10 } });
  await owner.post(`/bulk-changes/${id}/run`);
  for (let step = 1; await dieAt(services, step, () => runJobs(services)); step += 1) {
    await services.execute(sql`
      update outbox set starts = 0, relays = 0, next_relay_at = ${services.clock.now()}
      where tenant_id = ${ctx.tenant.id} and finished_at is null`);
  }
  t.like(await ended(t, { id }), { rows: { total: 3, done: 3, failed: 0 }, changes: { updated: 3 } });
  for (const slug of ['one', 'two', 'three']) t.deepEqual(await pricesOf(t, slug), [110]);
});
