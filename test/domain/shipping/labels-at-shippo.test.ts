import anyTest, { type TestFn } from 'ava';

import * as jobs from '#jobs/labels.ts';
import type { Listening } from '#src/dev/listen.ts';
import { type AccountSummary, type ShippoControl, shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import type { Context } from '#src/domain/context.ts';
import {
  chooseRate,
  processNotification,
  quoteOrder,
  receiveNotification,
  type ShippingAccountInput,
  voidLabel,
} from '#src/domain/shipping/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { silentLog } from '#src/lib/log.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createShippoGateway } from '#src/providers/shippo/shippo-gateway.ts';
import { createTestClock, type TestClock } from '#test/support/clock.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { Crash, crashingClock, labelOf, orderOf, request, run, runToEnd } from './support.ts';

/*
 * The label protocol through the real SDK: whatever the provider does to the line, one label is paid for. Labels are
 * counted where they are sold.
 */

const test = anyTest as TestFn<TestContext>;
useContext(test, { environment: { LABEL_BUY_TIMEOUT: '500ms' } });

let simulator: Listening;
let control: ShippoControl;
test.before(async () => {
  simulator = await startShippoSimulator();
  control = shippoControl(simulator.url);
});
test.after.always(() => simulator.close());

interface Store {
  ctx: Context;
  clock: TestClock;
  apiKey: string;
  fault(kind: Parameters<ShippoControl['fault']>[0]['kind'], more?: object): Promise<void>;
  bought(): Promise<number>;
  transactions(): Promise<AccountSummary['transactions']>;
}

async function open(base: Context, given: Partial<ShippingAccountInput> = {}): Promise<Store> {
  const clock = createTestClock();
  const breaker = new CircuitBreaker({ openMs: 1, failures: 1000 });
  const shipping = createShippoGateway({ baseUrl: simulator.url, log: silentLog, breaker });
  const ctx = { ...base, clock, ports: { ...base.ports, shipping } };
  const { api_key } = await buildShippingAccount(ctx, given);
  return {
    ctx,
    clock,
    apiKey: api_key ?? '',
    fault: (kind, more = {}) => control.fault({ match: 'POST /transactions', kind, account: api_key, ...more }),
    bought: async () => (await control.account(api_key)).labels_bought,
    transactions: async () => (await control.account(api_key)).transactions,
  };
}

test.serial('the cheapest label is bought at the provider', async (t) => {
  const { ctx, bought } = await open(t.context.ctx);
  const { order, labelId } = await request(ctx);
  t.is(await run(ctx, order.id), 'done');
  t.like(await labelOf(ctx, order.id), { state: 'purchased' });
  t.is(await bought(), 1);
  const [sent] = (await control.requests('POST /transactions')).filter(({ body }) =>
    JSON.stringify(body).includes(labelId),
  );
  t.like(sent?.body, {
    async: false,
    metadata: `${labelId}:1 ${ctx.tenant.id} ${order.orderNumber}`,
    label_file_type: 'PDF_4x6',
  });
});

test.serial('a label is bought for a zip in full width, as Japanese keyboards write it', async (t) => {
  const { ctx, bought } = await open(t.context.ctx);
  const { order } = await request(ctx, { address: { zip: ' ９４１１７－０００１' } });
  t.is(await run(ctx, order.id), 'done');
  t.like(await labelOf(ctx, order.id), { state: 'purchased', reason: null });
  t.is(await bought(), 1);
});

const faults: [Parameters<Store['fault']>[0], object][] = [
  ['reset_after', {}],
  ['reset_before', {}],
  ['status', { status: 500, after: true }],
  ['status', { status: 503 }],
  ['status', { status: 502, after: true }],
  ['status', { status: 429 }],
  ['unknown_enum', {}],
  ['hang', { after: true }],
  ['hang', {}],
  ['delay', { ms: 1000, after: true }],
  ['transaction_error', { text: 'The carrier API timed out.' }],
];

for (const [kind, more] of faults) {
  test.serial(`one label is paid for when the purchase meets ${kind} ${JSON.stringify(more)}`, async (t) => {
    const { ctx, clock, fault, bought } = await open(t.context.ctx);
    const { order } = await request(ctx);
    await fault(kind, more);
    t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
    t.is(await bought(), 1);
  });
}

test.serial('a queued label is polled and recorded when the provider has decided', async (t) => {
  const { ctx, clock, fault, bought, transactions } = await open(t.context.ctx);
  const { order } = await request(ctx);
  await fault('queued');
  await run(ctx, order.id);
  t.is((await labelOf(ctx, order.id)).state, 'buying');
  const [waiting] = await transactions();
  await control.resolveTransaction(waiting?.object_id ?? '', 'SUCCESS');
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(await bought(), 1);
});

test.serial('an operator buys a label across a border, with the goods declared to customs', async (t) => {
  const { ctx, clock, bought } = await open(t.context.ctx, { carriers: ['dhl_express'] });
  const { order } = await request(ctx, { address: { country: 'CA', state: 'ON', city: 'Ottawa', zip: 'K1A 0B1' } });
  t.is(await run(ctx, order.id), 'done');
  t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason: 'international' });
  const [cheapest] = await quoteOrder(ctx, { orderId: order.id });
  await chooseRate(ctx, { orderId: order.id, rateId: cheapest?.id ?? '' });
  t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(await bought(), 1);
});

const beyond = [
  ['APO', 'AE', '09128'],
  ['DPO', 'AA', '34021-0102'],
  ['FPO', 'AP', '96349'],
  ['San Juan', 'PR', '00901'],
  ['Hagatna', 'GU', '96910'],
  ['Pago Pago', 'AS', '96799'],
] as const;

for (const [city, state, zip] of beyond) {
  test.serial(`a label to ${city} ${state} is bought at once, with the goods declared to customs`, async (t) => {
    const { ctx, bought } = await open(t.context.ctx);
    const { order } = await request(ctx, { address: { country: 'US', state, city, zip } });
    t.is(await run(ctx, order.id), 'done');
    t.like(await labelOf(ctx, order.id), { state: 'purchased', reason: null });
    t.is(await bought(), 1);
  });
}

test.serial('wherever a run dies, one label is paid for at the provider', async (t) => {
  const { ctx, clock, bought } = await open(t.context.ctx);
  let points = 0;
  for (let point = 1; point <= 60; point += 1) {
    const { order } = await request(ctx);
    const died = await run({ ...ctx, clock: crashingClock(clock, point) }, order.id).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Crash) return true;
        throw error;
      },
    );
    t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased', `killed at ${point}`);
    points += 1;
    t.is(await bought(), points);
    if (!died) break;
  }
  t.true(points >= 10);
});

test.serial('a crowd of orders, faults and workers ends with one label each', async (t) => {
  const { ctx, clock, fault, bought } = await open(t.context.ctx);
  const orders = await Promise.all(Array.from({ length: 30 }, () => request(ctx)));
  for (const [kind, more] of faults.filter(([kind]) => kind !== 'hang'))
    await fault(kind, { ...more, times: 3, probability: 0.5 });
  await Promise.all(orders.flatMap(({ order }) => [run(ctx, order.id, 1), run(ctx, order.id, 1)]));
  for (const { order } of orders) t.is((await runToEnd(ctx, clock, order.id)).state, 'purchased');
  t.is(await bought(), orders.length);
});

test.serial('processNotification leaves a label and a parcel of another store of the same account alone', async (t) => {
  const seller = await open(t.context.ctx);
  const neighbour = await open(
    { ...t.context.ctx, tenant: await buildTenant(t.context.services) },
    { api_key: seller.apiKey },
  );
  const [{ order }, { order: theirs }] = [await request(seller.ctx), await request(neighbour.ctx)];
  for (const [{ ctx }, { id }] of [
    [seller, order],
    [neighbour, theirs],
  ] as const)
    t.is(await run(ctx, id), 'done');
  const before = await labelOf(neighbour.ctx, theirs.id);

  for (const { object_id, tracking_number } of await control.transactions(seller.apiKey)) {
    if (tracking_number !== before.trackingNumber) await control.moveTrack(tracking_number ?? '', 'DELIVERED');
    for (const { ctx } of [seller, neighbour]) {
      await receiveNotification(ctx, { event: 'transaction_updated', data: { object_id } });
      await receiveNotification(ctx, { event: 'track_updated', data: { tracking_number } });
    }
  }
  for (const { ctx } of [seller, neighbour]) {
    for (const notification of await enqueuedJobs(ctx, jobs.processNotification))
      await processNotification(ctx, notification);
  }
  t.deepEqual(await labelOf(neighbour.ctx, theirs.id), before);
  t.like(await orderOf(neighbour.ctx, theirs.id), { fulfillment: 'label_purchased', attention: null });
  t.like(await orderOf(seller.ctx, order.id), { fulfillment: 'delivered', attention: null });
  t.like(await control.account(seller.apiKey), { labels_bought: 2 });
  t.deepEqual(await enqueuedJobs(neighbour.ctx, jobs.refundDuplicate), []);
});

test.serial('voidLabel rejects a label that was bought with an account that was replaced', async (t) => {
  const { ctx } = await open(t.context.ctx);
  const { order, labelId } = await request(ctx);
  t.is(await run(ctx, order.id), 'done');
  await buildShippingAccount(ctx);
  const error = await t.throwsAsync(voidLabel(ctx, { labelId }), { instanceOf: DomainError });
  t.is(error?.code, 'label_not_voidable');
  t.like(await labelOf(ctx, order.id), { state: 'purchased', leaseExpiresAt: null });
});
