import anyTest, { type TestFn } from 'ava';

import { moment } from '#src/api/ops/layout.ts';
import { purchaseLabel } from '#src/domain/shipping/index.ts';
import { sql } from '#src/lib/sql.ts';
import { labelOf, orderOf, request, run } from '#test/domain/shipping/support.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { busy, type FakeShipping, fakeShippingByStore, rate, silence } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
const shipping = fakeShippingByStore();
useApi(test, { ports: { shipping: shipping.gateway } });

async function post({ api }: ApiContext, path: string, fields: Record<string, string> = {}) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return api.call('POST', path, { body: new URLSearchParams(fields).toString(), headers });
}

async function waiting(context: ApiContext, given: Parameters<typeof request>[1]) {
  const { ctx, tenant } = context;
  await buildShippingAccount(ctx);
  const requested = await request(ctx, given);
  await run(ctx, requested.order.id);
  return { ...requested, page: `/ops/labels/${tenant.slug}/${requested.labelId}`, provider: shipping.of(tenant.id) };
}

test('the labels page groups labels that need attention by reason, with advice', async (t) => {
  const { order, page } = await waiting(t.context, { address: { street1: null } });
  const { status, body, headers } = await t.context.api.call('GET', '/ops/labels');
  t.is(status, 200);
  t.regex(headers.get('content-type') ?? '', /text\/html/);
  t.regex(body, /The order has no complete shipping address\.[\s\S]+Complete the address, then retry\./);
  t.true(body.includes(`<a href="${page}">${order.orderNumber}</a>`));
});

for (const { error, arrange } of [
  {
    error: 'The shipping provider kept failing.',
    arrange: (fake: FakeShipping) => {
      fake.throws.quote = [silence()];
    },
  },
  {
    error: 'The shipping provider kept rejecting requests because of its rate limit.',
    arrange: (fake: FakeShipping) => {
      fake.throws.quote = [busy(60)];
    },
  },
  {
    error: 'It is unknown whether the label was bought: the shipping provider does not report an outcome.',
    arrange: (fake: FakeShipping) => {
      fake.nextPurchases = ['is silent'];
    },
  },
]) {
  test(`the pages of a label that waits say when it is tried next, after: ${error}`, async (t) => {
    const { ctx, api } = t.context;
    arrange(shipping.of(ctx.tenant.id));
    await buildPaidOrder(ctx);
    const { order, page } = await waiting(t.context, {});
    const { nextAttemptAt } = await labelOf(ctx, order.id);
    const next = moment(nextAttemptAt ?? new Date(0));
    const shown = (await api.call('GET', page)).body;
    for (const text of ['Waits for its next attempt.', error, `Next attempt</th><td>${next}`])
      t.true(shown.includes(text), text);
    const list: string = (await api.call('GET', '/ops/labels')).body;
    const [row = '', ...more] = list.split('<tr>').filter((text) => text.includes(page));
    t.deepEqual(more, []);
    for (const text of [order.orderNumber, error, next, 'data-name="waiting"', `action="${page}/retry"`])
      t.true(row.includes(text), text);
  });
}

test('correcting the address on the label page buys the label', async (t) => {
  const { ctx, api } = t.context;
  const { order, page, provider } = await waiting(t.context, { address: { street1: null, name: 'A "quoted" <name>' } });
  const shown = await api.call('GET', page);
  t.true(shown.body.includes('value="A &quot;quoted&quot; &lt;name&gt;"'));
  const refused = await post(t.context, `${page}/address`, { name: 'Ada', street1: '', city: 'Albany', country: 'US' });
  t.is(refused.status, 409);
  t.true(refused.body.includes('name="city" value="Albany"'), 'what was typed is still there');

  const saved = await post(t.context, `${page}/address`, {
    name: 'Ada',
    street1: '1 Main St',
    street2: '',
    city: 'Albany',
    state: 'NY',
    zip: '12207',
    country: 'US',
    phone: '',
  });
  t.is(saved.status, 303);
  t.regex(
    (await api.call('GET', saved.headers.get('location') ?? '')).body,
    /The address is saved and the label will be retried\./,
  );
  const label = await labelOf(ctx, order.id);
  await purchaseLabel(ctx, { labelId: label.id, attempt: label.latestAttempt });
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
  t.is(provider.quotes.at(-1)?.to.street1, '1 Main St');
  t.true((await api.call('GET', page)).body.includes(`href="${page}/file"`));
  const print = await api.call('GET', `${page}/file`);
  t.is(print.headers.get('location'), `${provider.bought()[0]?.labelUrl}?signed-again`);
});

test('a rate is chosen on the label page for an international parcel', async (t) => {
  const { ctx, api, tenant } = t.context;
  const { order, page, provider } = await waiting(t.context, {
    address: { country: 'CA', state: 'ON', zip: 'K1A 0B1' },
  });
  provider.rates = [rate({ amountCents: 5200, carrierName: 'UPS', carrier: 'ups', service: 'Standard' })];
  const shown = await api.call('GET', `${page}?rates=1`);
  t.regex(shown.body, /UPS<\/td><td>Standard<\/td><td>3<\/td><td>\$52\.00/);
  const rateId = /name="rate_id" value="([^"]+)"/.exec(shown.body)?.[1] ?? '';
  t.is((await post(t.context, `${page}/rate`, { rate_id: rateId })).status, 303);
  const label = await labelOf(ctx, order.id);
  await purchaseLabel(ctx, { labelId: label.id, attempt: label.latestAttempt });
  t.is(provider.bought()[0]?.rateId, rateId);

  provider.throws.quote = [silence()];
  const other = await waiting(t.context, { address: { country: 'CA', state: 'ON', zip: 'K1A 0B1' } });
  t.regex(
    (await api.call('GET', `/ops/labels/${tenant.slug}/${other.labelId}?rates=1`)).body,
    /Shipping rates are not available at the moment\./,
  );
});

test('an order is marked as shipped, and a label is voided, on the label page', async (t) => {
  const { ctx } = t.context;
  const { order, page } = await waiting(t.context, { address: null });
  t.is((await post(t.context, `${page}/fulfil`, { carrier: 'USPS', tracking_number: '9400' })).status, 303);
  t.like(await orderOf(ctx, order.id), { fulfillment: 'shipped', labels: only({ tracking_number: '9400' }) });

  const bought = await waiting(t.context, {});
  t.is((await post(t.context, `${bought.page}/void`)).status, 303);
  t.is((await labelOf(ctx, bought.order.id)).state, 'voided');
  t.is((await post(t.context, `${bought.page}/void`)).status, 409, 'twice is once');
});

test('one button retries all labels with the same reason', async (t) => {
  const { ctx, services } = t.context;
  // The rows of a store that was removed are still being deleted.
  const removed = { ...ctx, tenant: await buildTenant(services) };
  await waiting({ ...t.context, ctx: removed, tenant: removed.tenant }, { items: [{ weightOz: null }] });
  await services.execute(sql`
    update tenants set closed_at = ${ctx.clock.now()}, removed_at = ${ctx.clock.now()} where id = ${removed.tenant.id}`);
  const [first, second] = [
    await waiting(t.context, { items: [{ weightOz: null }] }),
    await waiting(t.context, { items: [{ weightOz: null }] }),
  ];
  t.regex((await t.context.api.call('GET', '/ops/labels')).body, /Retry all \d+/);
  t.is((await post(t.context, '/ops/labels/retry', { reason: 'parcel_missing' })).status, 303);
  for (const { order } of [first, second]) t.like(await labelOf(ctx, order.id), { state: 'queued', latestAttempt: 2 });
});

test('the page of an unknown label or store is not found', async (t) => {
  const { page } = await waiting(t.context, { address: null });
  const { api } = t.context;
  for (const path of [`${page}x`, '/ops/labels/nobody/lbl_x']) t.is((await api.call('GET', path)).status, 404);
  t.is((await post(t.context, `${page}/burn`)).status, 404);
});
