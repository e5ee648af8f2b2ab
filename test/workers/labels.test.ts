import anyTest, { type TestFn } from 'ava';

import { purchaseLabel } from '#jobs/labels.ts';
import { queueNames } from '#jobs/queues.ts';
import { runOnPlatformTables, transact } from '#src/database/transact.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import { editAddress, markFulfilled, retryLabel } from '#src/domain/shipping/index.ts';
import { sql } from '#src/lib/sql.ts';
import { labelOf, orderOf, request } from '#test/domain/shipping/support.ts';
import { silence } from '#test/support/fakes/shipping-gateway.ts';
import { fillOutbox } from '#test/support/fill-outbox.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';
import { type LabelFixture, openLabelFixture } from './label-fixture.ts';

const test = anyTest as TestFn<LabelFixture>;

test.beforeEach(async (t) => {
  t.context = await openLabelFixture();
});
test.afterEach.always((t) => t.context.close());

const address = { name: 'Ada Wells', street1: '1 Main St', city: 'Albany', state: 'NY', zip: '12207', country: 'US' };

test('a paid order gets its label within seconds', async (t) => {
  const { ctx, shipping } = t.context;
  const orders = [];
  while (orders.length < 20) orders.push(await request(ctx));
  for (const { order } of orders) await until(async () => (await labelOf(ctx, order.id)).state === 'purchased');
  t.is(shipping.bought().length, orders.length);
});

test('a label that needs attention fails on the board with advice, and Retry there buys it once', async (t) => {
  const { ctx, api, shipping, failed } = t.context;
  const { order } = await request(ctx, { address: { street1: null } });
  const abroad = await request(ctx, { address: { country: 'CA' } });
  const [job] = await until(async () => {
    const jobs = await failed();
    return jobs.length > 0 ? jobs : undefined;
  });
  await until(async () => (await labelOf(ctx, abroad.order.id)).state === 'needs_attention');

  t.is((await failed()).length, 1, 'what leaves the country is no failure');
  t.is(
    job?.failedReason,
    `${order.orderNumber}: missing_address. The order has no complete shipping address. ` +
      'Complete the address, then retry. Where a country has no postal codes, enter 00000.',
  );
  t.deepEqual(job?.data, { tenantId: ctx.tenant.id });
  const { body } = await api.call('GET', `/ops/queues/api/queues/labels/${job?.id}`);
  t.notRegex(JSON.stringify(body), /23rd|Ada|10010|shippo_test/);

  const retry = (id: string) =>
    api.call('PUT', `/ops/queues/api/queues/labels/${id}/retry`, { headers: { origin: api.url } });
  t.is((await retry(job?.id ?? '')).status, 204);
  const next = await until(async () => (await failed()).find(({ id }) => id !== job?.id), {
    what: 'the new attempt to fail',
  });
  const { rows } = await listAudit(ctx, { limit: 10, subjectKind: 'order', subjectId: order.id });
  t.like(rows, only({ action: 'label.retried', actorKind: 'operator' }));
  await editAddress(ctx, { orderId: order.id, address });
  await Promise.all([1, 2, 3].map(() => retry(next.id)));
  await until(async () => (await failed()).length === 0);
  t.is((await retry(next.id)).status, 404);
  await until(async () => (await labelOf(ctx, order.id)).state === 'purchased');
  await until(async () => (await failed()).length === 0);
  t.is(shipping.bought().length, 1);
  t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', attention: null });
});

test('Retry on the board of a label that was bought finds it and buys no second one', async (t) => {
  const { ctx, api, shipping, failed } = t.context;
  shipping.nextPurchases = ['sells silently'];
  shipping.throws.lookup = Array.from({ length: 3 }, silence);
  const { order } = await request(ctx);
  const [job] = await until(async () => {
    const jobs = await failed();
    return jobs.length > 0 ? jobs : undefined;
  });
  t.regex(
    job?.failedReason ?? '',
    /: outcome_unknown\. .+ Retry: the purchase is looked up first, and no second label is bought\.$/,
  );
  t.is(shipping.bought().length, 1);

  const retry = () =>
    api.call('PUT', `/ops/queues/api/queues/labels/${job?.id}/retry`, { headers: { origin: api.url } });
  await Promise.all([retry(), retry(), retry()]);
  await until(async () => (await labelOf(ctx, order.id)).state === 'purchased');
  await until(async () => (await failed()).length === 0);
  t.is(shipping.calls.filter((what) => what === 'buy').length, 1);
  t.like(await orderOf(ctx, order.id), { fulfillment: 'label_purchased', attention: null });
});

test('a job of a label that was resolved elsewhere leaves the board', async (t) => {
  const { ctx, shipping, failed } = t.context;
  const { order, labelId } = await request(ctx, { address: { street1: null } });
  const other = await request(ctx, { items: [{ weightOz: null }] });
  await until(async () => (await failed()).length === 2);
  await editAddress(ctx, { orderId: order.id, address });
  await retryLabel(ctx, { labelId });
  await until(async () => (await labelOf(ctx, order.id)).state === 'purchased');
  await until(async () => (await failed()).length === 1);
  await markFulfilled(ctx, { orderId: other.order.id });
  await until(async () => (await failed()).length === 0);
  t.is(shipping.bought().length, 1);
});

test('a label that is retried elsewhere keeps one failed job, and Retry all sends no goods of a disputed payment', async (t) => {
  const { ctx, api, shipping, failed } = t.context;
  const { order, labelId } = await request(ctx, { address: { street1: null } });
  await until(async () => (await failed()).length === 1);
  const [first] = await failed();
  await retryLabel(ctx, { labelId });
  await until(async () => (await failed()).some(({ id }) => id !== first?.id));
  t.is((await failed()).length, 1);

  await editAddress(ctx, { orderId: order.id, address });
  await transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`update orders set dispute_status = 'open' where tenant_id = ${tenant.id} and id = ${order.id}`),
  );
  await retryLabel(ctx, { labelId });
  await until(async () => (await labelOf(ctx, order.id)).reason === 'payment_disputed');
  const { body } = await api.call('PUT', '/ops/queues/api/queues/labels/retry/failed', {
    headers: { origin: api.url },
  });
  t.is(body.retried, 0, 'an operator has to see that it is disputed');
  t.like(await labelOf(ctx, order.id), { state: 'needs_attention', reason: 'payment_disputed' });
  t.deepEqual(shipping.bought(), []);
});

test('a failed job whose row an older backup does not have leaves the board', async (t) => {
  const { ctx, api, failed } = t.context;
  await request(ctx, { address: { street1: null } });
  await until(async () => (await failed()).length === 1);
  await runOnPlatformTables(ctx, sql`delete from outbox where failed_at is not null`);
  const { body } = await api.call('GET', '/ops/queues/api/queues');
  t.deepEqual(
    body.queues.map(({ counts }: { counts: { failed: number } }) => counts.failed),
    queueNames.map(() => 0),
  );
  t.deepEqual(await failed(), []);
});

test('Retry all on the board retries thousands at a time, says so, and the next press retries the rest', async (t) => {
  const { services, ctx, api } = t.context;
  await fillOutbox(services, { store: ctx.tenant.id, queue: 'emails', count: 20_001, dueAt: ctx.clock.now() });
  await runOnPlatformTables(
    ctx,
    sql`
    update outbox set failed_at = due_at, next_relay_at = null, failure = 'broken' where queue = 'emails'`,
  );
  const retryAll = () =>
    api.call('PUT', '/ops/queues/api/queues/emails/retry/failed', { headers: { origin: api.url } });
  const { status, body } = await retryAll();
  t.is(status, 429);
  t.is(body.message, '20,000 failed jobs are retried now. Press Retry all again for the rest.');
  t.like(await retryAll(), { status: 200, body: { retried: 1, skipped: 0 } });
});

test('a job that was resolved elsewhere leaves the board also behind many newer ones that failed', async (t) => {
  const { services, ctx, api, failed } = t.context;
  const { order } = await request(ctx, { address: { street1: null } });
  await until(async () => (await failed()).length === 1);
  const [job] = await failed();
  // Without a label they fail at once.
  await fillOutbox(services, {
    store: ctx.tenant.id,
    queue: 'labels',
    job: purchaseLabel.name,
    count: 700,
    dueAt: ctx.clock.now(),
  });
  const failedCount = async () => {
    const { body } = await api.call('GET', '/ops/queues/api/queues');
    return body.queues.find(({ name }: { name: string }) => name === 'labels').counts.failed;
  };
  await until(async () => (await failedCount()) > 600, { what: 'more to be on the board than are checked at a time' });
  await markFulfilled(ctx, { orderId: order.id });
  const isGone = async () => (await api.call('GET', `/ops/queues/api/queues/labels/${job?.id}`)).status === 404;
  await until(async () => (await failedCount()) > 0 && isGone());
  t.pass();
});

test('the board returns 404 for a queue that does not exist, and 400 for a name that cannot be decoded', async (t) => {
  const { api } = t.context;
  const headers = { origin: api.url };
  t.is((await api.call('PUT', '/ops/queues/api/queues/nope/retry/failed', { headers })).status, 404);
  t.is((await api.call('PUT', '/ops/queues/api/queues/nope/1/retry', { headers })).status, 404);
  t.is((await api.call('GET', '/ops/queues/api/queues?activeQueue=%25E0%25A4%25A')).status, 400);
});

test('the board allows reading and retrying, and nothing else', async (t) => {
  const { api } = t.context;
  t.is((await api.call('GET', '/ops/queues')).status, 200);
  const changes = [
    ['PUT', 'labels/pause'],
    ['PUT', 'labels/resume'],
    ['PUT', 'labels/empty'],
    ['PUT', 'labels/clean/failed'],
    ['PUT', 'labels/1/clean'],
    ['POST', 'labels/add'],
    ['PUT', 'labels/obliterate'],
    ['PATCH', 'labels/1/update-data'],
    ['PUT', 'labels/promote'],
    ['PUT', 'pause'],
    ['DELETE', 'labels/job-schedulers/x'],
    ['PUT', 'labels/1/promote'],
    ['PUT', 'labels/concurrency'],
  ] as const;
  for (const [method, path] of changes) {
    t.is(
      (await api.call(method, `/ops/queues/api/queues/${path}`, { headers: { origin: api.url }, body: {} })).status,
      405,
      path,
    );
  }
});
