import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { Webhook } from 'standardwebhooks';

import { drainEndpoint as drainEndpointJob } from '#jobs/webhooks.ts';
import { read, transact } from '#src/database/transact.ts';
import { freePort } from '#src/dev/embedded/free-port.ts';
import { requestLabel } from '#src/domain/shipping/index.ts';
import { newSecret } from '#src/domain/webhooks/endpoint-secrets.ts';
import {
  disableEndpoint,
  drainEndpoint,
  listDeliveries,
  listEndpoints,
  readDelivery,
  readDeliveryRequest,
  redeliver,
  rotateSecret,
  saveEndpoint,
  sendTestEvent,
  sign,
} from '#src/domain/webhooks/index.ts';
import { objectKinds, renderObjects } from '#src/domain/webhooks/render-object.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { type EventType, eventTypes } from '#src/outbox/events.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { codeBlock } from '#test/support/documents.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildReturn } from '#test/support/factories/returns.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { isSignedWith, type Receiver } from '#test/support/receiver.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const test = (anyTest as TestFn<TestContext>).serial;
useContext(anyTest as TestFn<TestContext>);

const root = fileURLToPath(new URL('../../..', import.meta.url));
const example = codeBlock('src/domain/webhooks/README.md', 'js', 'standardwebhooks');

// First, while the clock of the receiver's process is that of the test.
test('the documented receiver accepts signed events once and rejects everything else', async (t) => {
  const { ctx } = t.context;
  const [secret, port] = [newSecret(), await freePort()];
  const environment = { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) };
  const receiver = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: root,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => receiver.kill());
  receiver.stdin.end(example);
  const printed: string[] = [];
  const lines = createInterface(receiver.stdout);
  lines.on('line', (line) => printed.push(line));
  await once(lines, 'line');
  t.deepEqual(printed, ['listening']);

  const url = `http://127.0.0.1:${port}/hooks`;
  await transact(ctx, (ctx) => saveEndpoint(ctx, { url, events: ['order.paid'], secret }));
  const {
    rows: [endpoint],
  } = await listEndpoints(ctx, { limit: 1 });
  const endpointId = endpoint?.id ?? '';
  const order = await buildPaidOrder(ctx);
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', order.id));
  await drainEndpoint(ctx, { endpointId });
  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId, limit: 1 });
  await redeliver(ctx, { id: delivery?.id ?? '' });
  await drainEndpoint(ctx, { endpointId });
  t.deepEqual(await countStates(ctx, endpointId), { delivered: 1 });
  t.is((await listDeliveries(ctx, { endpointId, limit: 1 })).rows[0]?.attemptCount, 2);

  const body = JSON.stringify({
    id: 'evt_forged',
    type: 'order.paid',
    data: { object: { id: 'ord_forged' }, object_version: 9 },
  });
  const post = async (body: string, key: string, at: Date) => {
    const signature = new Webhook(key).sign('evt_forged', at, body);
    const headers = {
      'webhook-id': 'evt_forged',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    };
    return (changed = body) => fetch(url, { method: 'POST', headers, body: changed }).then(({ status }) => status);
  };
  const now = new Date();
  t.is(await (await post(body, newSecret(), now))(), 400, 'another secret');
  t.is(await (await post(body, secret, now))(body.replace('9', '8')), 400, 'a changed body');
  t.is(await (await post(body, secret, new Date(now.getTime() - 10 * 60_000)))(), 400, 'an old one');
  t.deepEqual(printed.slice(1), [`order.paid ${order.id}`]);
});

test('a test event reaches its endpoint with a signature that the public library accepts', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const endpoint = await buildEndpoint(ctx, receiver);

  const { eventId } = await sendTestEvent(ctx, { id: endpoint.id });
  await runJobs(services);

  const [request, ...others] = receiver.requests;
  t.is(others.length, 0);
  t.true(request && isSignedWith(endpoint.secret, request));
  t.is(request?.headers['webhook-id'], eventId);
  t.is(request?.headers['content-type'], 'application/json');
  const { secret: _, ...object } = endpoint;
  t.like(request?.body, {
    id: eventId,
    type: 'webhook.test',
    api_version: '2026-11-20',
    tenant: ctx.tenant.slug,
    livemode: false,
    data: { object: { ...object }, object_version: endpoint.version },
  });
  t.regex(request?.body.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.deepEqual(Object.keys(request?.body), ['id', 'type', 'timestamp', 'api_version', 'tenant', 'livemode', 'data']);
  t.deepEqual(await countStates(ctx, endpoint.id), { delivered: 1 });
});

test('an event is delivered once to each subscribed endpoint, however often its jobs run', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const exact = await buildEndpoint(ctx, receiver, { events: ['order.paid'] });
  const family = await buildEndpoint(ctx, receiver, { events: ['order.*'] });
  const other = await buildEndpoint(ctx, receiver, { events: ['subscription.*', 'order.shipped'] });
  const { id: orderId } = await buildPaidOrder(ctx);
  const [eventId] = await transact(ctx, async (ctx) => [recordEvent(ctx, 'order.paid', orderId)]);

  for (const { id } of [exact, family]) t.is((await listDeliveries(ctx, { endpointId: id, limit: 10 })).rows.length, 1);
  t.deepEqual((await listDeliveries(ctx, { endpointId: other.id, limit: 10 })).rows, []);
  t.deepEqual(
    (await enqueuedJobs(ctx, drainEndpointJob)).map(({ endpointId }) => endpointId).toSorted(),
    [exact.id, family.id].toSorted(),
  );
  await runJobs(services);
  for (const { id: endpointId } of [exact, family, other]) await drainEndpoint(ctx, { endpointId });
  t.deepEqual(
    receiver.requests.map(({ headers, path }) => [headers['webhook-id'], path]).toSorted(),
    [exact, family].map(({ url }) => [eventId, new URL(url).pathname]).toSorted(),
  );
});

test('draining an endpoint twice or concurrently delivers once', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const endpoint = await buildEndpoint(ctx, receiver, { concurrency: 8 });
  const events = await recordTests(ctx, endpoint.id, 40);

  await Promise.all([drainEndpoint(ctx, { endpointId: endpoint.id }), drainEndpoint(ctx, { endpointId: endpoint.id })]);
  await drainEndpoint(ctx, { endpointId: endpoint.id });

  t.deepEqual(receiver.requests.map(({ body }) => body.id).toSorted(), events.toSorted());
  t.deepEqual(await countStates(ctx, endpoint.id), { delivered: 40 });
});

test('an event whose object is gone is discarded, not delivered', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const endpoint = await buildEndpoint(ctx, receiver);
  const [eventId] = await transact(ctx, async (ctx) => [recordEvent(ctx, 'order.paid', 'ord_gone')]);

  await runJobs(services);

  t.deepEqual(receiver.requests, []);
  t.like((await listDeliveries(ctx, { endpointId: endpoint.id, limit: 1 })).rows[0], {
    eventId,
    state: 'discarded',
    lastFailure: 'object_gone',
  });
});

test('an event of a type that only a newer release knows waits, and does not delay others', async (t) => {
  const { ctx, services, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { events: ['order.*'] });
  const { id: orderId } = await buildPaidOrder(ctx);
  await transact(ctx, async (ctx) => {
    recordEvent(ctx, 'order.newer' as EventType, orderId);
    recordEvent(ctx, 'order.paid', orderId);
  });
  await runJobs(services);
  t.is(receiver.requests.length, 1);
  t.deepEqual(await countStates(ctx, id), { delivered: 1, pending: 1 });

  const [waiting] = await read<{ at: Date }>(
    ctx,
    sql`select next_attempt_at as at from webhook_deliveries where endpoint_id = ${id} and state = 'pending'`,
  );
  t.true(waiting && waiting.at > clock.now());
  t.true((await enqueuedJobs(ctx, drainEndpointJob)).some(({ causeId }) => causeId === waiting?.at.toISOString()));
});

test('after a rotation both secrets sign for a day, then only the new one', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  const { id, secret: old } = await buildEndpoint(ctx, receiver);
  const { secret: current } = await rotateSecret(ctx, { id });

  const deliver = async () => {
    await sendTestEvent(ctx, { id });
    await runJobs(services);
    const request = receiver.requests.at(-1);
    // The library checks the time by the machine's clock, so signatures are only counted where the test's clock has
    // moved.
    return { request, count: String(request?.headers['webhook-signature']).split(' ').length };
  };

  const { request, count } = await deliver();
  t.true(request && isSignedWith(old, request) && isSignedWith(current, request));
  t.is(count, 2);
  clock.pass(hours(24) - minutes(1));
  t.is((await deliver()).count, 2);
  clock.pass(minutes(2));
  t.is((await deliver()).count, 1);
});

test('each secret signs for a day after it was replaced, and a rotation is rejected while five do', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id, url, secret: first } = await buildEndpoint(ctx, receiver);
  const secrets = [first];
  for (let rotations = 0; rotations < 5; rotations += 1) {
    secrets.unshift((await rotateSecret(ctx, { id })).secret);
    clock.pass(hours(1));
  }
  await assertSigned(t, { id, receiver }, secrets);
  const tooMany = { instanceOf: DomainError, code: 'rate_limited', message: /Try again in 19 hours/ };
  await t.throwsAsync(rotateSecret(ctx, { id }), tooMany);
  const entry = { url, events: ['order.*'], secret: newSecret() };
  await t.throwsAsync(
    transact(ctx, (ctx) => saveEndpoint(ctx, entry)),
    tooMany,
  );

  clock.pass(hours(19));
  await assertSigned(t, { id, receiver }, secrets.slice(0, 5));
  await transact(ctx, (ctx) => saveEndpoint(ctx, entry));
  await assertSigned(t, { id, receiver }, [entry.secret, ...secrets.slice(0, 5)]);
  clock.pass(hours(24));
  await assertSigned(t, { id, receiver }, [entry.secret]);
});

test('a store file that names a secret that was replaced makes it the current one, and the other retires', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id, url, secret } = await buildEndpoint(ctx, receiver);
  const { secret: other } = await rotateSecret(ctx, { id });
  await transact(ctx, (ctx) => saveEndpoint(ctx, { url, events: ['order.*'], secret }));
  await assertSigned(t, { id, receiver }, [secret, other]);
});

/** Assert which secrets sign a delivery. The public library checks its time by the machine's clock. */
async function assertSigned(
  t: ExecutionContext<TestContext>,
  { id, receiver }: { id: string; receiver: Receiver },
  secrets: readonly string[],
): Promise<void> {
  const { ctx, services } = t.context;
  await sendTestEvent(ctx, { id });
  await runJobs(services);
  const { headers = {}, raw = '' } = receiver.requests.at(-1) ?? {};
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  t.like(headers, sign(secrets, String(headers['webhook-id']), at, raw));
}

test('a failed attempt is recorded and retried at the time of the schedule', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  receiver.behave({ status: 500, body: 'out of \u0000 order' });
  const [eventId = ''] = await recordTests(ctx, id);
  await runJobs(services);
  t.is(receiver.requests.length, 1);

  clock.pass(2000);
  await runJobs(services);
  t.is(receiver.requests.length, 1);
  clock.pass(4200);
  receiver.behave({ status: 200, body: 'thanks' });
  await runJobs(services);

  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId: id, limit: 1 });
  t.like(delivery, { eventId, state: 'delivered', attemptCount: 2, lastStatus: 200, nextAttemptAt: null });
  const { attempts = [] } = (await readDelivery(ctx, delivery?.id ?? '')) ?? {};
  t.deepEqual(
    attempts.map(({ number, status, failure, response }) => ({ number, status, failure, response })),
    [
      { number: 1, status: 500, failure: null, response: 'out of \ufffd order' },
      { number: 2, status: 200, failure: null, response: 'thanks' },
    ],
  );
  const [first, second] = receiver.requests;
  t.is(first?.headers['webhook-id'], second?.headers['webhook-id']);
});

test('a delivery that fails nine times succeeds at the tenth attempt, each at its documented time', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  receiver.behave((_request, number) => ({ status: number < 10 ? 500 : 204 }));
  const dueIn = async () => {
    const {
      rows: [delivery],
    } = await listDeliveries(ctx, { endpointId: id, limit: 1 });
    return (delivery?.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime();
  };
  clock.stop();
  await recordTests(ctx, id);
  await runJobs(services);
  t.is(receiver.requests.length, 1);

  const documented = [
    seconds(5),
    minutes(5),
    minutes(30),
    hours(2),
    hours(5),
    hours(10),
    hours(14),
    hours(20),
    hours(24),
  ];
  for (const [index, waitMs] of documented.entries()) {
    const waits = await dueIn();
    t.true(waits >= waitMs && waits <= waitMs * 1.2, `try ${index + 2}: ${waits} ms`);
    clock.pass(waits - 1);
    await runJobs(services);
    t.is(receiver.requests.length, index + 1, `not before try ${index + 2} is due`);
    clock.pass(1);
    await runJobs(services);
    t.is(receiver.requests.length, index + 2, `try ${index + 2}`);
  }
  t.like((await listDeliveries(ctx, { endpointId: id, limit: 1 })).rows[0], {
    state: 'delivered',
    attemptCount: 10,
    lastStatus: 204,
  });
  t.is(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 1);
});

test('a delivery fails for good after ten attempts over about three days and is shown to operators', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id);
  const startedAt = clock.now().getTime();
  const at: number[] = [];
  for (let hour = 0; hour < 100 * 60 && at.length < 12; hour += 1) {
    await runJobs(services);
    if (receiver.requests.length > at.length) at.push(clock.now().getTime() - startedAt);
    const {
      rows: [delivery],
    } = await listDeliveries(ctx, { endpointId: id, limit: 1 });
    if (delivery?.state !== 'pending') break;
    clock.pass((delivery.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime() + 1);
  }
  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId: id, limit: 1 });
  t.like(delivery, { state: 'failed', attemptCount: 10, lastStatus: 500 });
  t.is(receiver.requests.length, 10);
  const total = (at.at(-1) ?? 0) / hours(1);
  t.true(total >= 75 && total <= 91, `${total} hours`);
  t.deepEqual(
    (await runJobs(services)).filter((outcome) => !outcome.endsWith('done')),
    [],
  );
});

test('Retry-After delays the next attempt', async (t) => {
  const { ctx, clock, services } = t.context;
  clock.stop();
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  for (const status of [429, 503]) {
    receiver.behave({ status, headers: { 'retry-after': '3600' } });
    await recordTests(ctx, id);
    await runJobs(services);
    const {
      rows: [delivery],
    } = await listDeliveries(ctx, { endpointId: id, limit: 1 });
    const waitMs = (delivery?.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime();
    t.is(waitMs, hours(1));
  }
  receiver.behave({ status: 500, headers: { 'retry-after': '3600' } });
  await recordTests(ctx, id);
  await runJobs(services);
  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId: id, limit: 1 });
  t.true((delivery?.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime() <= 6000);
});

test('a redirect is never followed and is no success', async (t) => {
  const { ctx, services } = t.context;
  const [receiver, elsewhere] = [await receiverFor(t), await receiverFor(t)];
  receiver.behave({ status: 302, headers: { location: elsewhere.url } });
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id);
  await runJobs(services);
  t.is(elsewhere.requests.length, 0);
  t.like((await listDeliveries(ctx, { endpointId: id, limit: 1 })).rows[0], { state: 'pending', lastStatus: 302 });
});

test('a disabled endpoint gets nothing, and its deliveries are discarded', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id);
  await disableEndpoint(ctx, { id });
  await recordTests(ctx, id);
  await runJobs(services);
  t.is(receiver.requests.length, 0);
  t.deepEqual(await countStates(ctx, id), { discarded: 2 });
});

type Delivery = Parameters<typeof renderObjects>[1][number];
const deliveryOf = (type: EventType, objectId: string) => ({ type, objectId }) as Delivery;

test('every kind of object is shown as its schema says, with at most one statement for each kind', async (t) => {
  const { ctx, services } = t.context;
  const [order, other] = [await buildPaidOrder(ctx), await buildPaidOrder(ctx)];
  await transact(ctx, (ctx) => requestLabel(ctx, { orderId: order.id }));
  const [label] = await read<{ id: string }>(ctx, sql`select id from labels where tenant_id = ${ctx.tenant.id}`);
  const ids: Record<string, string> = {
    order: order.id,
    subscription: (await buildSubscription(ctx)).id,
    label: label?.id ?? '',
    return: (await buildReturn(ctx)).id,
    customer: newId('cus'),
    webhook_endpoint: (await buildEndpoint(ctx, await receiverFor(t))).id,
  };
  const types = Object.keys(eventTypes) as EventType[];
  const deliveries = [
    ...types.map((type) => deliveryOf(type, ids[eventTypes[type]] ?? '')),
    deliveryOf('order.paid', other.id),
  ];

  const { result: objects, statements } = await countStatements(services, () => renderObjects(ctx, deliveries));

  // An erased customer is read from nowhere.
  t.is(statements.length, Object.keys(objectKinds).length - 1);
  t.is(objects.size, 7);
  for (const [kind, { schema }] of Object.entries(objectKinds)) {
    const rendered = objects.get(ids[kind] ?? '');
    t.true(rendered && rendered.version >= 1, kind);
    t.deepEqual(issuesOf(schema, structuredClone(rendered?.object)), [], kind);
    // What a receiver has is compared with what it reads: only an erased customer cannot be read any more.
    if (kind !== 'customer') t.like(rendered?.object, { version: rendered?.version }, kind);
  }
});

test('readDelivery and readDeliveryRequest return the event and the endpoint of each delivery, among others of its store', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const endpoints = [await buildEndpoint(ctx, receiver), await buildEndpoint(ctx, receiver)];
  const orders = [await buildPaidOrder(ctx), await buildPaidOrder(ctx)];
  await transact(ctx, async (ctx) => {
    for (const { id } of orders)
      for (const type of ['order.paid', 'order.shipped'] as const) recordEvent(ctx, type, id);
  });
  for (const { id: endpointId, url } of endpoints) {
    const { rows } = await listDeliveries(ctx, { endpointId, limit: 10 });
    t.is(rows.length, 2 * orders.length);
    for (const { id, eventId, type } of rows) {
      t.like(await readDelivery(ctx, id), { delivery: { endpointId, eventId, type } });
      const request = await readDeliveryRequest(ctx, id);
      t.deepEqual([request?.url, request?.headers['webhook-id']], [url, eventId]);
    }
  }
});
