import anyTest, { type TestFn } from 'ava';

import * as jobs from '#jobs/labels.ts';
import { read, transact } from '#src/database/transact.ts';
import { readOverview } from '#src/domain/backoffice/index.ts';
import type { Context } from '#src/domain/context.ts';
import { listManagedOrders, lockOrder, readOrder, restockOrder } from '#src/domain/orders/index.ts';
import { approveReturn, requestReturn } from '#src/domain/returns/index.ts';
import {
  chooseRate,
  editAddress,
  labelsForOperators,
  listLabels,
  markFulfilled,
  quoteOrder,
  readLabel,
  readLabelOfOrder,
  requestLabelAgain,
  resumeLabels,
  retryLabel,
  voidLabel,
} from '#src/domain/shipping/index.ts';
import type { LabelFilter } from '#src/domain/shipping/read-labels.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { retryFailed, startJob } from '#src/outbox/job-state.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildPaidOrder, buildReleasedHold, newYork } from '#test/support/factories/orders.ts';
import { buildShippingAccount, origin } from '#test/support/factories/shipping.ts';
import { busy, denial, fakeShippingByStore, rate, rejection, silence } from '#test/support/fakes/shipping-gateway.ts';
import { interceptStatements } from '#test/support/intercept-statements.ts';
import { jobAttempt } from '#test/support/job-attempts.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import {
  labelOf,
  orderOf,
  outboxJobsOf,
  press,
  type Requested,
  rateIdOf,
  request,
  run,
  runToEnd,
  withFake,
} from './support.ts';

/*
 * What operators do with labels. A label without attempts left is flagged on its row, because the labels page reads
 * rows.
 */

const test = anyTest as TestFn<TestContext>;
const provider = fakeShippingByStore();
useContext(test, { ports: { shipping: provider.gateway } });

const conflict = (code: string) => ({ instanceOf: DomainError, code });
const address = { name: 'Ada Wells', street1: '1 Main St', city: 'Albany', state: 'NY', zip: '12207', country: 'US' };

test('editAddress corrects the address, and retryLabel buys the label', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx, { address: { street1: null } });
  await run(ctx, order.id);
  const before = await recorded(ctx, order.id);
  await editAddress(ctx, { orderId: order.id, address });
  t.deepEqual(await recorded(ctx, order.id), [...before, 'order.updated']);
  await editAddress(ctx, { orderId: order.id, address });
  t.deepEqual(await recorded(ctx, order.id), [...before, 'order.updated'], 'nothing changed');
  await retryLabel(ctx, { labelId });
  t.deepEqual(
    (await outboxJobsOf(ctx, labelId)).map(({ attempt }) => attempt),
    [1, 2],
  );
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(shipping.quotes[0]?.to.zip, '12207');
  t.is(await run(ctx, order.id, 1), 'done', 'the old failed job, retried on the board, does nothing more');
  t.is(shipping.bought().length, 1);
});

test.serial(
  'a label that needs an operator fails its job in the same commit, and only a retry executes it again',
  async (t) => {
    const { ctx, services } = t.context;
    await buildShippingAccount(ctx);
    const { order, labelId } = await request(ctx, { address: { street1: null } });
    // The queue does not learn how this attempt ended: the process was killed right after the commit.
    t.true(
      (await runJobs(services)).some((outcome) => /^labels.purchase-label: cancel .+ missing_address/.test(outcome)),
    );
    const [job] = await services.execute<{ id: string; failure: string }>(sql`
    select id, failure from outbox where tenant_id = ${ctx.tenant.id} and job = 'labels.purchase-label'
      and failed_at is not null`);
    t.regex(job?.failure ?? '', /missing_address/);

    await editAddress(ctx, { orderId: order.id, address });
    const again = await startJob(services.execute, job?.id ?? '', ctx.clock.now());
    t.like(again, { starts: 0, failure: job?.failure }, 'what BullMQ hands out again is not executed');
    await retryFailed(services.execute, { queue: 'labels', id: job?.id ?? '' }, ctx.clock.now());
    await runJobs(services, { rounds: 1 });
    t.deepEqual(
      (await outboxJobsOf(ctx, labelId)).map(({ attempt }) => attempt),
      [1, 2],
    );
    t.is((await labelOf(ctx, order.id)).state, 'queued');
    t.is(
      await startJob(services.execute, job?.id ?? '', ctx.clock.now()),
      undefined,
      'the retry ended with the restart',
    );
  },
);

test('retryLabel buys the label of an oversold order', async (t) => {
  const { ctx, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx, { attentionCodes: ['oversold'] });
  t.regex(await run(ctx, order.id), /oversold/);
  t.regex(await press(ctx, order.id), /oversold/, 'a retry on the board alone does not decide that');
  await retryLabel(ctx, { labelId });
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
});

const shipsOversold: Record<string, (ctx: Context, label: { orderId: string; labelId: string }) => Promise<void>> = {
  retryLabel,
  requestLabelAgain,
  markFulfilled,
  chooseRate: async (ctx, { orderId }) => {
    const [offered] = await quoteOrder(ctx, { orderId });
    await chooseRate(ctx, { orderId, rateId: offered?.id ?? '' });
  },
};
for (const [action, ship] of Object.entries(shipsOversold)) {
  test(`${action} sells an oversold order what is in stock by then, once, and a refund puts that back`, async (t) => {
    const { ctx } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const { variants } = await buildProduct(ctx, { variants: [{ stock: 5 }, { stock: 1 }] });
    const { order, labelId } = await request(ctx, { attentionCodes: ['oversold'] });
    for (const { id } of variants) await buildReleasedHold(ctx, order.id, { variantId: id, quantity: 2 });
    const stock = async () => Promise.all(variants.map(async ({ id }) => (await stockOf(ctx, id)).ledger));
    await run(ctx, order.id);
    t.deepEqual(await stock(), [5, 1]);
    await ship(ctx, { orderId: order.id, labelId });
    t.deepEqual(await stock(), [3, 1]);
    t.is((await orderOf(ctx, order.id)).attention, null);
    await ship(ctx, { orderId: order.id, labelId }).catch(() => undefined);
    t.deepEqual(await stock(), [3, 1]);
    for (let time = 0; time < 2; time += 1) await transact(ctx, (ctx) => restockOrder(ctx, order.id));
    t.deepEqual(await stock(), [5, 1]);
  });
}

test('retryLabel of a label that waits for the account resumes all of them', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const [first, second] = [await request(ctx), await request(ctx)];
  shipping.throws.quote = [denial()];
  for (const { order } of [first, second]) t.regex(await run(ctx, order.id), /provider_auth/);
  await retryLabel(ctx, { labelId: first.labelId });
  for (const resume of await enqueuedJobs(ctx, jobs.resumeLabels)) await resumeLabels(ctx, resume);
  for (const { order } of [first, second]) t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
});

test('an order is listed as without a label when its label was voided, until another one is requested', async (t) => {
  const { ctx, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  const isListed = async () => {
    const page = { without_label: true, limit: 10 };
    const { rows } = await listManagedOrders(ctx, page);
    const { orders_without_label: count } = await readOverview(ctx, []);
    t.is(count, rows.length);
    return rows.some(({ order: { id } }) => id === order.id);
  };
  t.false(await isListed(), 'about to be bought');
  await runToEnd(ctx, clock, order.id);
  t.false(await isListed(), 'bought');
  await voidLabel(ctx, { labelId });
  t.true(await isListed(), 'voided');
  await requestLabelAgain(ctx, { orderId: order.id });
  t.false(await isListed(), 'requested again');
});

const requests: Record<string, (ctx: Context, requested: Requested) => Promise<void>> = {
  retryLabel: (ctx, { labelId }) => retryLabel(ctx, { labelId }),
  requestLabelAgain: (ctx, { order }) => requestLabelAgain(ctx, { orderId: order.id }),
  'requestLabelAgain after a void': async (ctx, { order, labelId }) => {
    await chooseRate(ctx, { orderId: order.id, rateId: (await quoteOrder(ctx, { orderId: order.id }))[0]?.id ?? '' });
    await run(ctx, order.id);
    await voidLabel(ctx, { labelId });
    await requestLabelAgain(ctx, { orderId: order.id });
  },
};
const britain = { country: 'GB', state: null, zip: 'SW1A 1AA', city: 'London' };

/** A label across a border, which waits for an operator. */
async function requestAbroad(ctx: Context, unitPriceCents = 1000): Promise<Requested> {
  const requested = await request(ctx, { address: britain, items: [{ unitPriceCents }] });
  await run(ctx, requested.order.id);
  return requested;
}

test('a retry on the board alone buys no label across a border', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await requestAbroad(ctx);
  t.is(await press(ctx, order.id), 'done');
  t.is((await labelOf(ctx, order.id)).reason, 'international');
  t.deepEqual(shipping.calls, []);
});

for (const [name, act] of Object.entries(requests)) {
  test(`${name} buys the cheapest label across a border, with a customs declaration, at most at the cap`, async (t) => {
    const { ctx, shipping, clock } = withFake(t.context.ctx);
    await buildShippingAccount(ctx, { label_cost_cap_cents: 7000 });
    shipping.rates = [rate({ amountCents: 6900 }), rate({ amountCents: 6100 })];
    const fair = await requestAbroad(ctx);
    await act(ctx, fair);
    shipping.throws.quote = [silence()];
    shipping.nextPurchases = [{ fails: 'temporary' }, 'is silent'];
    t.like(await runToEnd(ctx, clock, fair.order.id), { state: 'purchased', amountCents: 6100 });
    t.is(shipping.bought().length, 1);
    t.is(shipping.quotes.at(-1)?.customs?.exemption, 'low_value');

    shipping.rates = [rate({ amountCents: 7100 })];
    const costly = await requestAbroad(ctx);
    const { order } = costly;
    await act(ctx, costly);
    t.is((await runToEnd(ctx, clock, order.id)).reason, 'cost_cap');
    await editAddress(ctx, { orderId: order.id, address: { ...address, ...britain, street1: '10 Downing St' } });
    t.is(await press(ctx, order.id), 'done');
    t.is((await labelOf(ctx, order.id)).reason, 'international', 'it was requested for another address');
    t.is(shipping.bought().length, 1);
  });
}

for (const name of ['retryLabel', 'requestLabelAgain'])
  test(`${name} buys no label for goods that need a customs filing`, async (t) => {
    const { ctx, shipping, clock } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const dear = await requestAbroad(ctx, 250_001);
    await requests[name]?.(ctx, dear);
    t.is((await runToEnd(ctx, clock, dear.order.id)).reason, 'international');
    t.is(shipping.bought().length, 0);
  });

test('retryLabel buys the cheapest label in the one currency that there is, unless a cap in another one is set', async (t) => {
  const { ctx: withDollars, shipping, clock } = withFake(t.context.ctx);
  const ctx = { ...withDollars, tenant: { ...withDollars.tenant, currency: 'EUR' } };
  const germany = { country: 'DE', state: null, zip: '10119', city: 'Berlin' };
  const terms = { carriers: [], origin: { ...origin, ...germany } };
  await buildShippingAccount(ctx, { ...terms, label_cost_cap_cents: 7000 });
  const retried = async (labelId: string, orderId: string) => {
    await retryLabel(ctx, { labelId });
    return runToEnd(ctx, clock, orderId);
  };

  shipping.rates = [rate({ amountCents: 6900 }), rate({ amountCents: 6100 })];
  const { order, labelId } = await request(ctx, { address: germany });
  t.is(await run(ctx, order.id), 'done');
  t.is((await retried(labelId, order.id)).reason, 'cost_cap', 'what 70 euros are in dollars is not known');
  await buildShippingAccount(ctx, terms);
  shipping.rates.push(rate({ amountCents: 5900, currency: 'GBP' }));
  t.is(
    (await retried(labelId, order.id)).reason,
    'no_matching_rate',
    'which of two currencies is cheaper is not known',
  );
  shipping.rates.pop();
  t.like(await retried(labelId, order.id), { state: 'purchased', amountCents: 6100 });
  t.is(shipping.bought().length, 1);
});

test('retryLabel buys a label that lacked a weight, once the variant has one, and for what had one by that', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { slug, variant } = await buildProduct(ctx, { variants: [{ weight_oz: null }] });
  const item = { variantId: variant.id, weightOz: null };
  const { order, labelId } = await request(ctx, {
    items: [
      { ...item, quantity: 2 },
      { ...item, weightOz: 5 },
    ],
  });
  t.regex(await run(ctx, order.id), /parcel_missing/);
  await buildProduct(ctx, { slug, variants: [{ sku: variant.sku, weight_oz: 12 }] });
  await retryLabel(ctx, { labelId });
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(shipping.quotes[0]?.parcel.weightOz, 2 * 12 + 5 + 2);
});

test('chooseRate buys a rate across a border, with a customs declaration', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx, { carriers: [], label_cost_cap_cents: 100 });
  shipping.rates = [rate({ amountCents: 9900, carrier: 'dhl_express' }), rate({ amountCents: 6100, carrier: 'ups' })];
  const { order } = await request(ctx, {
    address: { country: 'CA', state: 'ON', zip: 'K1A 0B1' },
    items: [{ quantity: 2, unitPriceCents: 1000, weightOz: null, name: 'Tea' }],
  });
  await run(ctx, order.id);
  const rates = await quoteOrder(ctx, { orderId: order.id });
  t.deepEqual(
    rates.map(({ amountCents }) => amountCents),
    [6100, 9900],
  );
  t.like(shipping.quotes[0]?.customs, {
    signer: 'Cedar & Clay',
    items: only({ description: 'Tea', quantity: 2, valueCents: 2000, weightOz: 2 }),
    exemption: 'to_canada',
  });

  await chooseRate(ctx, { orderId: order.id, rateId: rates[0]?.id ?? '' });
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(shipping.bought()[0]?.rateId, rates[0]?.id);
  t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', attention: null });
  await t.throwsAsync(chooseRate(ctx, { orderId: order.id, rateId: 'other' }), conflict('label_purchased'));
});

test('a chosen rate is retried and never replaced by another', async (t) => {
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx, { address: { street1: null } });
  await run(ctx, order.id);
  await editAddress(ctx, { orderId: order.id, address });
  const [mine] = await quoteOrder(ctx, { orderId: order.id });
  await chooseRate(ctx, { orderId: order.id, rateId: mine?.id ?? '' });
  shipping.nextPurchases = [{ fails: 'temporary' }, 'is silent'];
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(shipping.bought()[0]?.rateId, mine?.id);
  t.is(shipping.quotes.length, 1);
});

test('editAddress with the address that an order has leaves the rate that was chosen for it', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx, { address: { street1: null } });
  await run(ctx, order.id);
  await editAddress(ctx, { orderId: order.id, address });
  const [mine] = await quoteOrder(ctx, { orderId: order.id });
  await chooseRate(ctx, { orderId: order.id, rateId: mine?.id ?? '' });
  await editAddress(ctx, { orderId: order.id, address });
  t.is(await run(ctx, order.id), 'done');
  t.is(shipping.bought()[0]?.rateId, mine?.id);
  t.is(shipping.quotes.length, 1);
});

test('a rate is bought only for the order and the address that it was quoted for', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const [order, other] = [
    (await request(ctx, { address: { street1: '1 Main St' } })).order,
    (await request(ctx)).order,
  ];
  const refused = { instanceOf: DomainError, code: 'invalid_request', message: /Request its rates again/ };
  const [strange] = await quoteOrder(ctx, { orderId: other.id });
  await t.throwsAsync(chooseRate(ctx, { orderId: order.id, rateId: strange?.id ?? '' }), refused);
  await t.throwsAsync(chooseRate(ctx, { orderId: order.id, rateId: 'rate_of_a_shopper' }), refused);

  const [stale] = await quoteOrder(ctx, { orderId: order.id });
  await editAddress(ctx, { orderId: order.id, address });
  await t.throwsAsync(chooseRate(ctx, { orderId: order.id, rateId: stale?.id ?? '' }), refused);
  const [fresh] = await quoteOrder(ctx, { orderId: order.id });
  await chooseRate(ctx, { orderId: order.id, rateId: fresh?.id ?? '' });
  t.is(await run(ctx, order.id), 'done');
  t.is(shipping.bought()[0]?.rateId, fresh?.id);
});

test('a label is for what is sent: without what is in a return that was approved before', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx, {
    address: { country: 'GB', zip: 'SW1A 2AA' },
    items: [{ quantity: 3, unitPriceCents: 1000, weightOz: 10, name: 'Tea' }, { weightOz: null }],
  });
  await run(ctx, order.id);
  const [tea, bowl] = (await readOrder(ctx, order.id))?.items ?? [];
  const approve = async (id = '', quantity = 1) => {
    const { orderNumber } = order;
    const items = [{ order_item_id: id, quantity }];
    const { id: returnId } = await requestReturn(ctx, { orderNumber, email: 'ada@example.com', items });
    await approveReturn(ctx, { returnId });
  };
  const [stale] = await quoteOrder(ctx, { orderId: order.id });
  await approve(tea?.id);
  await approve(bowl?.id);
  const refused = { instanceOf: DomainError, code: 'invalid_request', message: /Request its rates again/ };
  await t.throwsAsync(chooseRate(ctx, { orderId: order.id, rateId: stale?.id ?? '' }), refused);
  const sent = { description: 'Tea', quantity: 2, valueCents: 2000, weightOz: 20 };
  await quoteOrder(ctx, { orderId: order.id });
  t.like(shipping.quotes.at(-1), { parcel: { weightOz: 2 + 20 }, customs: { items: only(sent) } });

  await approve(tea?.id, 2);
  const { length } = shipping.quotes;
  await t.throwsAsync(quoteOrder(ctx, { orderId: order.id }), { message: /^There is nothing to ship: / });
  t.is(shipping.quotes.length, length, 'no carrier is asked for an empty parcel');
  await retryLabel(ctx, { labelId });
  await run(ctx, order.id);
  t.like(await labelOf(ctx, order.id), { state: 'skipped', reason: 'not_required' });
  t.like(await orderOf(ctx, order.id), { fulfillment: 'unfulfilled', attention: null });
  t.deepEqual(shipping.bought(), []);
  const withoutLabel = async (is: boolean) =>
    (await listManagedOrders(ctx, { without_label: is, limit: 100 })).rows.some(({ order: { id } }) => id === order.id);
  t.deepEqual([await withoutLabel(true), await withoutLabel(false)], [false, true], 'it waits for no label');
});

const decisions: Record<string, (ctx: Context, order: { id: string }) => Promise<unknown>> = {
  'another one that is chosen': chooseFirst,
  'the cheapest by a retry': (ctx, { id: orderId }) => requestLabelAgain(ctx, { orderId }),
};

async function chooseFirst(ctx: Context, { id: orderId }: { id: string }) {
  const [rate] = await quoteOrder(ctx, { orderId });
  await chooseRate(ctx, { orderId, rateId: rate?.id ?? '' });
}

for (const [bought, decide] of Object.entries(decisions)) {
  test(`instead of a rate that was chosen before a return was approved, ${bought} is bought`, async (t) => {
    const { ctx, shipping } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const { order, labelId } = await request(ctx, { items: [{ quantity: 3, weightOz: 10 }] });
    await chooseFirst(ctx, order);
    const stale = await rateIdOf(ctx, labelId);
    const { orderNumber } = order;
    const [item] = (await readOrder(ctx, order.id))?.items ?? [];
    const items = [{ order_item_id: item?.id ?? '', quantity: 1 }];
    const { id: returnId } = await requestReturn(ctx, { orderNumber, email: 'ada@example.com', items });
    await approveReturn(ctx, { returnId });
    t.regex(await run(ctx, order.id), /no_matching_rate/);
    t.deepEqual(shipping.bought(), []);
    await decide(ctx, order);
    t.is(await run(ctx, order.id), 'done');
    t.is(shipping.bought().length, 1);
    t.not(shipping.bought()[0]?.rateId, stale);
  });
}

for (const [bought, decide] of Object.entries(decisions)) {
  test(`instead of a rate that was chosen and that the provider does not sell any more, ${bought} is bought`, async (t) => {
    const { ctx, shipping } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const { order, labelId } = await request(ctx);
    await chooseFirst(ctx, order);
    const stale = await rateIdOf(ctx, labelId);
    shipping.nextPurchases = [{ error: rejection() }];
    t.regex(await run(ctx, order.id), /no_matching_rate/);
    await decide(ctx, order);
    t.is(await run(ctx, order.id), 'done');
    t.is(shipping.bought().length, 1);
    t.not(shipping.bought()[0]?.rateId, stale);
  });
}

test('the email of a shipment lists what ships and is in no return that was approved before', async (t) => {
  const { ctx, clock } = withFake(t.context.ctx);
  const { order } = await request(ctx, {
    items: [{ quantity: 3, name: 'Tea' }, { ships: false, name: 'Course' }, { name: 'Bowl' }],
  });
  const [tea, , bowl] = (await readOrder(ctx, order.id))?.items ?? [];
  const approve = async (id = '') => {
    const items = [{ order_item_id: id, quantity: 1 }];
    const { orderNumber } = order;
    const { id: returnId } = await requestReturn(ctx, { orderNumber, email: 'ada@example.com', items });
    await approveReturn(ctx, { returnId });
  };
  await approve(tea?.id);
  await approve(bowl?.id);
  clock.pass(seconds(1));
  await markFulfilled(ctx, { orderId: order.id, carrier: 'USPS', trackingNumber: '1' });
  const mails = await read<{ items: { name: string; quantity: number }[] }>(
    ctx,
    sql`select data -> 'items' as items from mails where subject_id = ${order.id} and kind = 'shipped'`,
  );
  t.deepEqual(
    mails.map(({ items }) => items.map(({ name, quantity }) => `${quantity} × ${name}`)),
    [['2 × Tea']],
  );
});

test('quoteOrder rejects goods that need a customs filing, and says what to do', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const dear = await buildPaidOrder(ctx, { address: britain, items: [{ quantity: 2, unitPriceCents: 125_001 }] });
  await t.throwsAsync(quoteOrder(ctx, { orderId: dear.id }), {
    instanceOf: DomainError,
    code: 'order_not_shippable',
    message: /filed with US customs/,
  });
  t.deepEqual(shipping.calls, []);
  const fair = await buildPaidOrder(ctx, { address: britain, items: [{ quantity: 2, unitPriceCents: 125_000 }] });
  t.true((await quoteOrder(ctx, { orderId: fair.id })).length > 0);
  t.is(shipping.quotes.at(-1)?.customs?.exemption, 'low_value');
  const canada = { country: 'CA', state: 'ON', zip: 'K1A 0B1' };
  const north = await buildPaidOrder(ctx, { address: canada, items: [{ quantity: 2, unitPriceCents: 125_001 }] });
  t.true((await quoteOrder(ctx, { orderId: north.id })).length > 0);
  const home = await buildPaidOrder(ctx, { items: [{ quantity: 2, unitPriceCents: 125_001 }] });
  t.true((await quoteOrder(ctx, { orderId: home.id })).length > 0);
});

test('quoteOrder claims no exemption from a US filing for an order in another currency', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const japan = { country: 'JP', state: null, zip: '100-0001', city: 'Tokyo' };
  const items = [{ unitPriceCents: 2000 }];
  for (const currency of ['JPY', 'EUR']) {
    const order = await buildPaidOrder(ctx, { address: japan, items, currency });
    await t.throwsAsync(quoteOrder(ctx, { orderId: order.id }), {
      instanceOf: DomainError,
      code: 'order_not_shippable',
      message: new RegExp(`in US dollars is not known: it is in ${currency}\\. Buy this label on`),
    });
  }
  t.deepEqual(shipping.calls, []);
  const canada = { country: 'CA', state: 'ON', zip: 'K1A 0B1' };
  const north = await buildPaidOrder(ctx, { address: canada, items, currency: 'JPY' });
  t.true((await quoteOrder(ctx, { orderId: north.id })).length > 0);
  t.is(shipping.quotes.at(-1)?.customs?.exemption, 'to_canada');
});

test('quoteOrder applies no US limit to goods that leave another country', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx, { origin: { ...origin, state: 'BE', zip: '10115', city: 'Berlin', country: 'DE' } });
  for (const currency of ['EUR', 'USD']) {
    const order = await buildPaidOrder(ctx, { items: [{ unitPriceCents: 2500_01 }], currency });
    t.true((await quoteOrder(ctx, { orderId: order.id })).length > 0);
    t.is(shipping.quotes.at(-1)?.customs?.exemption, null);
  }
});

test('operators cannot change a label whose purchase is open or that an attempt holds', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  shipping.nextPurchases = ['is silent'];
  await run(ctx, order.id);
  await t.throwsAsync(chooseRate(ctx, { orderId: order.id, rateId: 'mine' }), conflict('label_outcome_unknown'));
  await t.throwsAsync(editAddress(ctx, { orderId: order.id, address }), conflict('label_outcome_unknown'));
  await t.throwsAsync(voidLabel(ctx, { labelId }), conflict('label_outcome_unknown'));

  const other = await request(ctx);
  let during: Promise<unknown> = Promise.resolve();
  const buyLabel = shipping.buyLabel.bind(shipping);
  const slow = {
    ...ctx,
    ports: {
      ...ctx.ports,
      shipping: {
        ...shipping,
        async buyLabel(...given: Parameters<typeof buyLabel>) {
          during = t.throwsAsync(retryLabel(ctx, { labelId: other.labelId }), conflict('label_in_progress'));
          await during;
          during = t.throwsAsync(markFulfilled(ctx, { orderId: other.order.id }), conflict('label_in_progress'));
          await during;
          return buyLabel(...given);
        },
      },
    },
  };
  t.is(await run(slow, other.order.id), 'done');
  await during;
});

test.serial('an address that is corrected while an attempt begins is the one that the label is sent to', async (t) => {
  const { services } = t.context;
  const { ctx, shipping, clock } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  let corrected: Promise<void> | undefined;
  const end = interceptStatements(services.context().database.pool, () => ({ text, send }) => {
    if (corrected || !/update "labels"/.test(text)) return send();
    corrected = editAddress(ctx, { orderId: order.id, address });
    return corrected.then(() => send());
  });
  const label = await runToEnd(ctx, clock, order.id).finally(end);
  t.truthy(corrected);
  t.is(label.state, 'purchased');
  t.is(shipping.quotes.at(-1)?.to.zip, address.zip);
});

test.serial('of two runs of a retry at once one restarts the label, also if its attempt has ended', async (t) => {
  const { ctx } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx, { address: { street1: null } });
  await run(ctx, order.id);
  let other: Promise<string> | undefined;
  const end = interceptStatements(t.context.services.context().database.pool, () => ({ text, send }) => {
    if (other || !/from .?labels\b.+for no key update/s.test(text)) return send();
    other = press(ctx, order.id, 1);
    return other.then(() => send());
  });
  await run({ ...ctx, attempt: jobAttempt({ manual: true }) }, order.id, 1).finally(end);
  t.regex((await other) ?? '', /missing_address/);
  t.like(await labelOf(ctx, order.id), { state: 'needs_attention', latestAttempt: 2 });
});

test('markFulfilled skips the label of an order that was shipped by hand', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  await markFulfilled(ctx, { orderId: order.id });
  await markFulfilled(ctx, { orderId: order.id });
  await run(ctx, order.id);
  t.is((await labelOf(ctx, order.id)).state, 'skipped');
  t.is((await orderOf(ctx, order.id)).fulfillment, 'shipped');
  t.deepEqual(shipping.calls, []);
});

test('an order that was refunded in full or has no goods that ship gets no label, rates or shipment', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  for (const given of [{ status: 'refunded' }, { status: 'pending' }, { items: [{ ships: false }] }] as const) {
    const { id: orderId } = await buildPaidOrder(ctx, { ...given, items: [...(given.items ?? [{}])] });
    for (const act of [
      () => markFulfilled(ctx, { orderId, carrier: 'USPS', trackingNumber: orderId }),
      () => requestLabelAgain(ctx, { orderId }),
      () => quoteOrder(ctx, { orderId }),
    ])
      await t.throwsAsync(act, conflict('order_not_shippable'), JSON.stringify(given));
    t.like(await orderOf(ctx, orderId), { fulfillment: 'items' in given ? 'not_required' : 'unfulfilled', labels: [] });
    t.deepEqual(await recorded(ctx, orderId), []);
  }
  t.deepEqual(shipping.calls, []);

  const partly = await buildPaidOrder(ctx, { status: 'partially_refunded' });
  await markFulfilled(ctx, { orderId: partly.id });
  t.is((await orderOf(ctx, partly.id)).fulfillment, 'shipped');
});

test('markFulfilled corrects the parcel of an order that was shipped before its refund', async (t) => {
  const { ctx } = withFake(t.context.ctx);
  const { id: orderId } = await buildPaidOrder(ctx);
  await markFulfilled(ctx, { orderId, carrier: 'USPS', trackingNumber: '9400' });
  await transact(ctx, async (ctx) => (await lockOrder(ctx, orderId))?.moveTo('refunded'));
  await markFulfilled(ctx, { orderId, carrier: 'USPS', trackingNumber: '9401' });
  t.deepEqual(
    (await orderOf(ctx, orderId)).labels.map(({ tracking_number: number }) => number),
    ['9400', '9401'],
  );
});

test("listLabels filters by state and reason, and shows only the store's own", async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const good = await request(ctx);
  const bad = await request(ctx, { address: null });
  await run(ctx, good.order.id);
  await run(ctx, bad.order.id);
  const idsOf = async (filter: LabelFilter) => (await listLabels(ctx, filter)).rows.map(({ id }) => id);
  t.deepEqual(await idsOf({}), [bad.labelId, good.labelId]);
  t.deepEqual(await idsOf({ reasonCode: 'missing_address' }), [bad.labelId]);
  t.deepEqual(await idsOf({ state: 'purchased' }), [good.labelId]);
  const { cursor } = await listLabels(ctx, { limit: 1 });
  t.deepEqual(await idsOf({ cursor: cursor ?? '' }), [good.labelId]);
  t.like(await readLabelOfOrder(ctx, bad.order.id), {
    state: 'needs_attention',
    reason_code: 'missing_address',
    order_number: bad.order.orderNumber,
  });
  t.is(await readLabel({ ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } }, good.labelId), undefined);
  const { labels } = await labelsForOperators(ctx, 1000);
  t.true(
    labels.some(
      ({ id, tenantId, shippingAddress }) =>
        id === bad.labelId && tenantId === ctx.tenant.id && shippingAddress === null,
    ),
  );
  t.false(labels.some(({ id }) => id === good.labelId));
  t.is(shipping.bought().length, 1);
});

test('labelsForOperators returns of each reason those first that were not tried for longest', async (t) => {
  const { ctx } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const build = async () => {
    const requested = await request(ctx, { address: null });
    await run(ctx, requested.order.id);
    return requested;
  };
  const [first, second] = [await build(), await build()];
  const listed = async () => {
    const { labels } = await labelsForOperators(ctx, 1000);
    return labels.filter(({ tenantId }) => tenantId === ctx.tenant.id).map(({ id }) => id);
  };
  t.deepEqual(await listed(), [first.labelId, second.labelId]);
  await retryLabel(ctx, { labelId: first.labelId });
  await run(ctx, first.order.id);
  t.deepEqual(await listed(), [second.labelId, first.labelId]);

  const oversold = await request(ctx, { attentionCodes: ['oversold'] });
  await run(ctx, oversold.order.id);
  const unknown = await request(ctx, { attentionCodes: ['oversold'] });
  await run(ctx, unknown.order.id);
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
      update labels set reason_code = 'of_a_later_release' where tenant_id = ${ctx.tenant.id} and id = ${unknown.labelId}`),
  );
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
      update labels set updated_at = '2000-01-01' where tenant_id = ${ctx.tenant.id} and id = ${second.labelId}`),
  );
  const { labels } = await labelsForOperators(ctx, 1);
  t.is(labels.find(({ reasonCode }) => reasonCode === 'missing_address')?.id, second.labelId);
  const reasons = labels.map(({ reasonCode }) => String(reasonCode));
  t.true(['oversold', 'missing_address', 'of_a_later_release'].every((reason) => reasons.includes(reason)));
  t.is(new Set(reasons).size, reasons.length);
});

test('quoteOrder rejects an order without an address, and reports an unavailable provider', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  const nowhere = await buildPaidOrder(ctx, { address: null });
  await t.throwsAsync(quoteOrder(ctx, { orderId: nowhere.id }), conflict('order_not_shippable'));
  const { order } = await request(ctx, { address: newYork });
  await t.throwsAsync(quoteOrder(ctx, { orderId: order.id }), {
    instanceOf: DomainError,
    code: 'shipping_provider_unavailable',
  });
  await buildShippingAccount(ctx);
  shipping.throws.quote = [denial()];
  await t.throwsAsync(quoteOrder(ctx, { orderId: order.id }), {
    instanceOf: DomainError,
    code: 'shipping_provider_unavailable',
  });
  await t.throwsAsync(quoteOrder(ctx, { orderId: 'ord_none' }), { instanceOf: DomainError, code: 'not_found' });
});

/** The last attempt that the queue allows. */
const lastAttempt = { failedAttempts: 4, rounds: 1 };

test.serial('an unexpected error flags the label on the last attempt, and not before', async (t) => {
  const { services, ctx } = t.context;
  await buildShippingAccount(ctx);
  for (const [failedAttempts, state] of [
    [3, 'queued'],
    [4, 'needs_attention'],
  ] as const) {
    const { order } = await request(ctx);
    provider.of(ctx.tenant.id).throws.quote = [new TypeError('a mistake')];
    await runJobs(services, { failedAttempts, rounds: 1 });
    t.is((await labelOf(ctx, order.id)).state, state);
  }
});

test.serial('a label whose job died ten times is flagged, and bought when it is retried', async (t) => {
  const { services, ctx } = t.context;
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  await services.execute(sql`update outbox set starts = 10 where tenant_id = ${ctx.tenant.id} and finished_at is null`);
  await runJobs(services, { rounds: 1 });
  t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason: 'crashes' });
  t.deepEqual(provider.of(ctx.tenant.id).calls, []);
  await retryLabel(ctx, { labelId });
  await runJobs(services, { rounds: 1 });
  t.is((await labelOf(ctx, order.id)).state, 'purchased');
});

/** Let the first attempt of the store's open jobs have been at this time. */
const setFirstAttempt = (ctx: Context, at: Date) =>
  transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`
    update outbox set first_started_at = ${at} where tenant_id = ${tenant.id} and finished_at is null`),
  );

test.serial(
  'a label whose job was first attempted two days ago is no longer postponed but flagged with the reason',
  async (t) => {
    const { services, clock, ctx } = t.context;
    await buildShippingAccount(ctx);
    const { throws } = provider.of(ctx.tenant.id);
    for (const [triedForMs, state] of [
      [0, 'queued'],
      [days(2) + 1000, 'needs_attention'],
    ] as const) {
      const { order } = await request(ctx);
      await setFirstAttempt(ctx, fromNow(clock, -triedForMs));
      throws.quote = [busy(60)];
      await runJobs(services, lastAttempt);
      t.like(await labelOf(ctx, order.id), { state, reason: 'provider_rate_limited' });
      t.is((await orderOf(ctx, order.id)).attention, state === 'queued' ? null : 'provider_rate_limited');
    }
  },
);

test.serial('a label that a crashed attempt held days after the first one is flagged', async (t) => {
  const { services, clock, ctx } = t.context;
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx);
  await setFirstAttempt(ctx, fromNow(clock, -days(3)));
  const heldUntil = new Date(clock.now().getTime() + 60_000);
  const client = await ctx.database.pool.connect();
  await client.query(`begin; set local app.platform = 'on'`);
  await client.query(`update labels set lease_token = 'dead', lease_expires_at = $1 where id = $2`, [
    heldUntil,
    labelId,
  ]);
  await client.query('commit');
  client.release();
  t.true(
    (await runJobs(services, lastAttempt)).includes('labels.purchase-label: retry (another attempt holds the label)'),
  );
  t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason: 'crashes' });
});
