import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';

import { sendMail as sendMailJob } from '#jobs/emails.ts';
import { pruneDeliveries } from '#jobs/retention.ts';
import { drainEndpoint as drainEndpointJob } from '#jobs/webhooks.ts';
import { asPlatform, read, readOne, transact } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import type { Context } from '#src/domain/context.ts';
import { widthsOf } from '#src/domain/webhooks/endpoint-leases.ts';
import {
  createEndpoint,
  disableEndpoint,
  drainEndpoint,
  EndpointEntry,
  enableEndpoint,
  listDeliveries,
  listEndpoints,
  presentEndpoint,
  presentEventTypes,
  readDelivery,
  readEndpoint,
  recoverDeliveries,
  redeliver,
  removeEndpoint,
  saveEndpoint,
  sendTestEvent,
  updateEndpoint,
  webhooksNeedingAttention,
} from '#src/domain/webhooks/index.ts';
import { sign } from '#src/domain/webhooks/signing.ts';
import { waitAfter } from '#src/domain/webhooks/wait-after.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { fits, issuesOf } from '#src/lib/validation.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { type EventType, eventTypes } from '#src/outbox/events.ts';
import { createOutboundHttp } from '#src/platform/outbound-http.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { only } from '#test/support/only.ts';
import { isSignedWith } from '#test/support/receiver.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { until } from '#test/support/until.ts';

const test = (anyTest as TestFn<TestContext>).serial;
// Every wait is long, so that the breaker's own time is what is seen.
useContext(anyTest as TestFn<TestContext>, {
  environment: { WEBHOOK_RETRY_SCHEDULE: '0s,6h,6h,6h,6h,6h,6h,6h,6h,6h,6h,6h' },
});

const save = (ctx: Context, entry: EndpointEntry) => transact(ctx, (ctx) => saveEndpoint(ctx, entry));
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

test('saving an endpoint of a store file twice changes nothing, and a new secret is a rotation', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const entry: EndpointEntry = { url: receiver.url, events: ['order.paid', 'subscription.*'], secret, concurrency: 4 };
  const subject = `webhook endpoint ${receiver.url}`;
  t.deepEqual(await save(ctx, entry), {
    subject,
    action: 'created',
    fields: ['url', 'events', 'secret', 'concurrency'],
  });
  t.like(await save(ctx, entry), { subject, action: 'unchanged', fields: [] });
  t.like(await save(ctx, { url: entry.url, events: entry.events }), { subject, action: 'unchanged', fields: [] });

  const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  t.like(await save(ctx, { ...entry, events: ['order.*'], concurrency: 9, secret: other }), {
    subject,
    action: 'updated',
    fields: only('events', 'concurrency', 'secret'),
  });
  const [stored] = await read<{ id: string; secret: string; widths: number[] }>(
    ctx,
    sql`
    select e.id, secret_sealed as secret,
      (select array_agg(width order by number) from webhook_endpoint_leases s where s.endpoint_id = e.id) as widths
    from webhook_endpoints e where e.tenant_id = ${ctx.tenant.id}`,
  );
  t.deepEqual(stored?.widths, [4, 5]);
  t.false(stored?.secret.includes(other));

  await recordTests(ctx, stored?.id ?? '');
  await runJobs(services);
  const [request] = receiver.requests;
  t.true(request && isSignedWith(secret, request) && isSignedWith(other, request));
});

test('a store file with an invalid endpoint is rejected with the reasons', (t) => {
  const codes = (entry: object) =>
    issuesOf(EndpointEntry, { url: 'https://a.example/', events: ['order.paid'], ...entry }).map(({ path }) => path);
  t.deepEqual(codes({}), []);
  t.deepEqual(codes({ events: [] }), ['/events']);
  t.deepEqual(codes({ events: ['order.payed'] }), ['/events/0']);
  t.deepEqual(codes({ secret: 'hunter2' }), ['/secret']);
  t.deepEqual(codes({ concurrency: 0 }), ['/concurrency']);
  t.deepEqual(codes({ rate_per_second: null }), []);
});

test('an endpoint with a URL that may not be called is not created, updated or saved', async (t) => {
  const { ctx } = t.context;
  const strict = { ...ctx, ports: { ...ctx.ports, http: createOutboundHttp({ localMode: false }) } };
  const refused = { instanceOf: DomainError, code: 'invalid_request' };
  const { endpoint } = await createEndpoint(strict, { url: 'https://8.8.8.8/hooks', events: ['order.paid'] });
  for (const url of ['http://8.8.8.8/', 'https://127.0.0.1/', 'https://u:p@8.8.8.8/', 'https://[::ffff:10.0.0.1]/']) {
    await t.throwsAsync(createEndpoint(strict, { url, events: ['order.paid'] }), refused, url);
    await t.throwsAsync(updateEndpoint(strict, { id: endpoint.id, url }), refused, url);
    await t.throwsAsync(save(strict, { url, events: ['order.paid'] }), refused, url);
  }
  await t.throwsAsync(createEndpoint(strict, { url: 'https://8.8.8.8/hooks', events: ['order.paid'] }), {
    ...refused,
    message: /already/,
  });
  t.like(await updateEndpoint(strict, { id: endpoint.id, rate_per_second: 5 }), {
    rate_per_second: 5,
    version: 2,
    url: endpoint.url,
  });
});

test('a store has at most 50 endpoints', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  for (let count = 0; count < 50; count += 1) await buildEndpoint(ctx, receiver);
  await t.throwsAsync(buildEndpoint(ctx, receiver), { instanceOf: DomainError, message: /at most 50/ });
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', 'ord_gone'));
  t.is((await runJobs(services)).filter((outcome) => outcome.startsWith('webhooks.')).length, 50);
});

test('another store neither sees an endpoint nor changes it', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id);
  await runJobs(services);
  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId: id, limit: 1 });
  const otherStore = { ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } };
  const unknown = { instanceOf: DomainError, code: 'not_found' };
  t.is(await readEndpoint(otherStore, id), undefined);
  t.is(await readDelivery(otherStore, delivery?.id ?? ''), undefined);
  await t.throwsAsync(updateEndpoint(otherStore, { id, concurrency: 1 }), unknown);
  await t.throwsAsync(removeEndpoint(otherStore, { id }), unknown);
  await t.throwsAsync(redeliver(otherStore, { id: delivery?.id ?? '' }), unknown);
  await t.throwsAsync(recoverDeliveries(otherStore, { id, since: new Date(0) }), unknown);
});

test('an order is delivered as the API shows it, with its version', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  await buildEndpoint(ctx, receiver, { events: ['order.paid'] });
  const order = await buildPaidOrder(ctx);
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', order.id));
  await transact(
    ctx,
    async (ctx) =>
      void (await ctx.tx.execute(
        sql`update orders set version = 7 where tenant_id = ${ctx.tenant.id} and id = ${order.id}`,
      )),
  );
  await runJobs(services);
  const { data, type } = receiver.requests[0]?.body ?? {};
  t.is(type, 'order.paid');
  t.like(data, {
    object_version: 7,
    object: { id: order.id, order_number: order.orderNumber, status: 'paid', version: 7 },
  });
  t.is(data.object.items.length, 1);
});

test('one delivery, or all since a time, can be sent again', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  const other = await buildEndpoint(ctx, await receiverFor(t));
  const since = clock.now();
  await recordTests(ctx, id, 3);
  await recordTests(ctx, other.id, 1);
  await runJobs(services);
  t.is(receiver.requests.length, 3);

  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId: id, limit: 1 });
  await redeliver(ctx, { id: delivery?.id ?? '' });
  await redeliver(ctx, { id: delivery?.id ?? '' });
  await runJobs(services);
  t.is(receiver.requests.length, 4);
  t.is(receiver.requests[3]?.headers['webhook-id'], delivery?.eventId);
  t.deepEqual(
    (await readDelivery(ctx, delivery?.id ?? ''))?.attempts.map(({ number }) => number),
    [1, 2],
  );

  t.deepEqual(await recoverDeliveries(ctx, { id, since }), { recovered: 0 });
  t.deepEqual(await recoverDeliveries(ctx, { id, since, only: 'all' }), { recovered: 3 });
  await runJobs(services);
  t.is(receiver.requests.length, 7);
  t.deepEqual(await recoverDeliveries(ctx, { id, since: clock.now(), only: 'all' }), { recovered: 0 });
  t.deepEqual(await recoverDeliveries(ctx, { id, since, until: since, only: 'all' }), { recovered: 0 });
});

test('deliveries are listed newest first, page by page, and by state, type and time', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id, 5);
  await runJobs(services);
  const { rows: all } = await listDeliveries(ctx, { endpointId: id, limit: 10 });
  t.deepEqual(
    all.map(({ id }) => id),
    all
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  const { rows: first, cursor } = await listDeliveries(ctx, { endpointId: id, limit: 2 });
  const { rows: second } = await listDeliveries(ctx, { endpointId: id, limit: 2, cursor: cursor ?? '' });
  t.deepEqual(
    [...first, ...second].map(({ id }) => id),
    all.slice(0, 4).map(({ id }) => id),
  );
  await t.throwsAsync(listDeliveries(ctx, { endpointId: 'whe_other', limit: 2, cursor: cursor ?? '' }), {
    code: 'invalid_cursor',
  });
  t.is((await listDeliveries(ctx, { endpointId: id, limit: 10, state: 'failed' })).rows.length, 0);
  t.is(
    (await listDeliveries(ctx, { endpointId: id, limit: 10, type: 'webhook.test', state: 'delivered' })).rows.length,
    5,
  );
  t.is((await listDeliveries(ctx, { endpointId: id, limit: 10, type: 'order.paid' })).rows.length, 0);
  t.is((await listDeliveries(ctx, { endpointId: id, limit: 10, since: clock.now() })).rows.length, 0);
});

test('a rare delivery is found page by page behind many others, and one of a time without searching all', async (t) => {
  const { ctx, clock } = t.context;
  const { id } = await buildEndpoint(ctx, await receiverFor(t));
  const now = clock.now();
  await transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`
      with event as (
        insert into events (tenant_id, id, type, object_id, created_at)
        select ${tenant.id}, 'evt_' || lpad(n::text, 4, '0'), case when n = 1 then 'order.paid' else 'webhook.test' end,
          ${id}, ${now}::timestamptz - (1200 - n) * interval '1 second'
        from generate_series(1, 1200) n returning id, created_at)
      insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, state, created_at, finished_at)
      select ${tenant.id}, replace(id, 'evt', 'whd'), ${id}, id, 'delivered', created_at, created_at from event`),
  );
  const sizes: number[] = [];
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await listDeliveries(ctx, {
      endpointId: id,
      limit: 10,
      type: 'order.paid',
      cursor: cursor || undefined,
    });
    sizes.push(page.rows.length);
    found.push(...page.rows.map(({ eventId }) => eventId));
    ({ cursor } = page);
  }
  t.deepEqual({ sizes, found }, { sizes: [0, 0, 1], found: ['evt_0001'] });
  const since = new Date(now.getTime() - seconds(5));
  const { rows, cursor } = await listDeliveries(ctx, { endpointId: id, limit: 10, since });
  t.deepEqual([rows.length, cursor], [6, null]);
});

test('old deliveries are deleted, and pending ones are not', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id, 2);
  await runJobs(services);
  clock.pass(days(30) - hours(1));
  await prune(services.context(), pruneDeliveries);
  t.deepEqual(await countStates(ctx, id), { delivered: 2 });
  clock.pass(hours(2));
  receiver.behave({ status: 500 });
  await recordTests(ctx, id);
  await runJobs(services);
  for (const _ of [1, 2]) await prune(services.context(), pruneDeliveries);
  t.deepEqual(await countStates(ctx, id), { pending: 1 });
  const rows = await asPlatform(services.context(), 'a test counts attempts', (ctx) =>
    ctx.tx.execute(sql`select 1 from webhook_attempts where tenant_id = ${t.context.tenant.id}`),
  );
  t.is(rows.length, 1);
  await removeEndpoint(ctx, { id });
  t.is(await readEndpoint(ctx, id), undefined);
});

test('an endpoint of very many deliveries is removed by repeated requests, each for a limited time', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildEndpoint(ctx, await receiverFor(t));
  await recordTests(ctx, id, 12_000);

  const error = await t.throwsAsync(removeEndpoint(ctx, { id, withinMs: 0 }), { instanceOf: DomainError });
  t.like(error, { code: 'service_unavailable', retryAfterSeconds: 1 });
  t.deepEqual(await countStates(ctx, id), { pending: 7000 });
  await removeEndpoint(ctx, { id });
  t.deepEqual(await countStates(ctx, id), {});
  t.is(await readEndpoint(ctx, id), undefined);
});

test('an endpoint of very many pending deliveries is disabled at once, and jobs discard them', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id, 10_002);
  await disableEndpoint(ctx, { id });
  t.deepEqual(await countStates(ctx, id), { discarded: 5000, pending: 5002 });
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { discarded: 10_002 });
  t.is(receiver.requests.length, 0);
});

test('what is pending of a disabled endpoint is sent once it is enabled again, and not discarded', async (t) => {
  const { ctx, services } = t.context;
  const { id } = await buildEndpoint(ctx, await receiverFor(t));
  await recordTests(ctx, id, 5002);
  await disableEndpoint(ctx, { id });
  await enableEndpoint(ctx, { id });
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { discarded: 5000, delivered: 2 });
});

test('every event type is described by a schema that its sample fits', (t) => {
  const catalogue = presentEventTypes();
  t.deepEqual(
    catalogue.map(({ type }) => type),
    Object.keys(eventTypes) as EventType[],
  );
  for (const { type, schema, sample, description } of catalogue) {
    t.true(
      fits(schema as never, structuredClone(sample)),
      `${type}: ${JSON.stringify(issuesOf(schema as never, structuredClone(sample)))}`,
    );
    t.true(description.endsWith('.'));
  }
});

test('the public library verifies our signature of any body, and no other', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array({ minLength: 16, maxLength: 64 }), (body, bytes) => {
      const key = `whsec_${Buffer.from(bytes).toString('base64')}`;
      const at = new Date();
      const headers = sign([secret, key], 'evt_1', at, body);
      new Webhook(key).verify(body, headers, { jsonParse: false } as never);
      t.throws(() => new Webhook(key).verify(`${body}.`, headers));
      t.throws(() => new Webhook(key).verify(body, { ...headers, 'webhook-id': 'evt_2' }));
    }),
    { numRuns: 50 },
  );
});

test('waitAfter follows the schedule with up to a fifth more, and never less than Retry-After', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(86_400_000), { minLength: 1, maxLength: 10 }),
      fc.nat(12),
      fc.option(fc.nat(1_000_000), { nil: undefined }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (schedule, tries, requested, random) => {
        const wait = waitAfter(schedule, tries, requested, random);
        const step = schedule[tries];
        if (step === undefined) return t.is(wait, undefined);
        const requestedMs = Math.min((requested ?? 0) * 1000, days(1));
        t.is(wait, Math.max(Math.round(step * (1 + 0.2 * random)), requestedMs));
      },
    ),
  );
});

test("the widths of an endpoint's leases add up to its concurrency", (t) => {
  for (let concurrency = 1; concurrency <= 32; concurrency += 1) {
    const widths = widthsOf(concurrency);
    t.is(
      widths.reduce((sum, width) => sum + width, 0),
      concurrency,
    );
    t.true(widths.every((width) => width >= 1 && width <= 8));
    t.true(widths.length >= Math.min(2, concurrency));
  }
});

const warnings = async (ctx: Context) =>
  (
    await read<{ data: { disabled: string | null } }>(
      ctx,
      sql`select data from mails where tenant_id = ${ctx.tenant.id} order by id`,
    )
  ).map(({ data }) => data.disabled);

test('the last success is recorded to the minute, and exactly after a failure', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const lastSuccess = async () => {
    await recordTests(ctx, id, 1);
    await drainEndpoint(ctx, { endpointId: id });
    return (await readEndpoint(ctx, id))?.lastSuccessAt?.toISOString();
  };
  await clock.standStill(async () => {
    const first = await lastSuccess();
    t.is(first, clock.now().toISOString());
    clock.pass(seconds(59));
    t.is(await lastSuccess(), first);
    clock.pass(seconds(1));
    const second = await lastSuccess();
    t.is(second, clock.now().toISOString());
    receiver.behave({ status: 500 });
    clock.pass(seconds(1));
    t.is(await lastSuccess(), second);
    receiver.behave({ status: 200 });
    clock.pass(seconds(1));
    t.is(await lastSuccess(), clock.now().toISOString());
  });
});

test('five failures in a row open the breaker: nothing is attempted and no attempt is used up', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 8);

  await drainEndpoint(ctx, { endpointId: id });
  await drainEndpoint(ctx, { endpointId: id });

  t.is(receiver.requests.length, 5);
  const attempts = (await listDeliveries(ctx, { endpointId: id, limit: 10 })).rows.map(
    ({ attemptCount }) => attemptCount,
  );
  t.deepEqual(attempts.toSorted(), [0, 0, 0, 1, 1, 1, 1, 1]);
});

test('an endpoint is shown as paused until one delivery is attempted again, and no longer', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const pausedForMs = async () => {
    const [endpoint] = (await listEndpoints(ctx, {})).rows;
    const until = endpoint && presentEndpoint(ctx, endpoint).paused_until;
    return until ? Date.parse(until) - clock.now().getTime() : null;
  };
  t.is(await pausedForMs(), null);
  await recordTests(ctx, id, 6);
  await drainEndpoint(ctx, { endpointId: id });
  const firstMs = (await pausedForMs()) ?? 0;
  t.true(firstMs > 0 && firstMs <= seconds(30));
  clock.pass(seconds(31));
  t.is(await pausedForMs(), null, 'the next delivery is attempted');
  await drainEndpoint(ctx, { endpointId: id });
  t.true(((await pausedForMs()) ?? 0) > seconds(30));
  await disableEndpoint(ctx, { id });
  t.is(await pausedForMs(), null, 'it is disabled');
});

test('an open breaker delays no delivery for longer than its schedule', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 5);
  const quick = { ...ctx, settings: { ...ctx.settings, webhookRetryScheduleMs: [0, seconds(5), hours(6)] } };
  await drainEndpoint(quick, { endpointId: id });
  t.is(receiver.requests.length, 5);
  clock.pass(seconds(7));
  await drainEndpoint(quick, { endpointId: id });
  t.is(receiver.requests.length, 6, 'the probe');
});

test('deliveries are attempted in the order in which they were due', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const events: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    events.push(...(await recordTests(ctx, id)));
    clock.pass(seconds(1));
  }
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(
    receiver.requests.map(({ headers }) => headers['webhook-id']),
    events,
  );
});

test('an open breaker allows one probe after its time, which doubles up to 15 minutes while probes fail', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 2 });
  await recordTests(ctx, id, 20);
  await drainEndpoint(ctx, { endpointId: id });
  let requests = receiver.requests.length;

  for (const openSeconds of [30, 60, 120, 240, 480, 900, 900]) {
    clock.pass(seconds(openSeconds - 15));
    await drainEndpoint(ctx, { endpointId: id });
    t.is(receiver.requests.length, requests, `not before ${openSeconds} s`);
    clock.pass(seconds(15.5));
    await Promise.all([drainEndpoint(ctx, { endpointId: id }), drainEndpoint(ctx, { endpointId: id })]);
    t.is(receiver.requests.length, (requests += 1), `one probe after ${openSeconds} s`);
  }
  receiver.behave({ status: 204 });
  clock.pass(seconds(901));
  await drainEndpoint(ctx, { endpointId: id });
  const { delivered = 0, pending = 0 } = await countStates(ctx, id);
  t.is(delivered + pending, 20);
  t.true(delivered >= 20 - requests, 'all that was not tried yet goes on at once');
});

test('opening the breaker enqueues a job for its end, and recovery enqueues a job for every lease', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave('reset');
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const jobsDueInSeconds = async () => {
    const { rows } = await ctx.database.pool.query<{ due_at: Date }>(
      `select due_at from outbox where tenant_id = $1 and key like $2 order by due_at`,
      [ctx.tenant.id, `${id}:%`],
    );
    return rows.map((row) => Math.floor((row.due_at.getTime() - clock.now().getTime()) / 1000));
  };

  await clock.standStill(async () => {
    await recordTests(ctx, id, 6);
    await drainEndpoint(ctx, { endpointId: id });
    t.deepEqual(await jobsDueInSeconds(), [0, 30]);
    await recordTests(ctx, id, 2);
    t.deepEqual(await jobsDueInSeconds(), [0, 30], 'events of a paused endpoint need no job of their own');
    receiver.behave({ status: 200 });
    clock.pass(seconds(31));
    await drainEndpoint(ctx, { endpointId: id });
    t.deepEqual((await jobsDueInSeconds()).slice(0, 3), [-31, -1, 0]);
  });
  t.true(((await countStates(ctx, id))['delivered'] ?? 0) > 0);
});

test('a probe that was not sent allows the next one at once', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 5);
  await drainEndpoint(ctx, { endpointId: id });
  // The first that is due is about something that is gone.
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', 'ord_gone'));
  await recordTests(ctx, id, 1);
  receiver.behave({ status: 204 });
  clock.pass(seconds(31));

  const wakeUps = async () => (await enqueuedJobs(ctx, drainEndpointJob)).length;
  const before = await wakeUps();
  await drainEndpoint({ ...ctx, stopping: AbortSignal.abort() }, { endpointId: id });
  t.is(receiver.requests.length, 5);
  t.is(await wakeUps(), before + 1, 'who stopped before the probe leaves it to another');
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { discarded: 1, delivered: 1, pending: 5 });
});

test('a delivery created while its endpoint was being disabled is delivered once it is enabled', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await disableEndpoint(ctx, { id });
  await recordTests(ctx, id, 1);
  // As by a transaction that had read the endpoint before it was switched off.
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update webhook_deliveries set state = 'pending', next_attempt_at = ${ctx.clock.now()}, finished_at = null
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${id}`),
  );
  await drainEndpoint(ctx, { endpointId: id });
  t.is(receiver.requests.length, 0);
  await enableEndpoint(ctx, { id });
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { delivered: 1 });
});

test('an attempt that is under way while its endpoint is disabled records its outcome', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave((_, number) => (number === 1 ? 'hang' : { status: 410 }));
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 2 });
  await recordTests(ctx, id, 2);
  const underWay = drainEndpoint(ctx, { endpointId: id });
  await until(() => receiver.waiting === 1);
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { failed: 1, discarded: 1 });
  receiver.release();
  await underWay;
  t.deepEqual(await countStates(ctx, id), { failed: 1, delivered: 1 });
});

test('after a 410 nothing more of a batch is attempted', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave((_, number) => ({ status: number < 5 ? 204 : 410 }));
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 20);
  await drainEndpoint(ctx, { endpointId: id });
  t.is(receiver.requests.length, 5);
  t.deepEqual(await countStates(ctx, id), { delivered: 4, failed: 1, discarded: 15 });
});

test('a 410 disables the endpoint and emails the owner, and pending deliveries can be recovered', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 410 });
  await buildEndpoint(ctx, receiver);
  const { id, url } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const since = clock.now();
  await recordTests(ctx, id, 3);
  await drainEndpoint(ctx, { endpointId: id });

  t.is(receiver.requests.length, 1);
  t.like(await readEndpoint(ctx, id), { disabledReason: 'gone' });
  t.deepEqual(await countStates(ctx, id), { failed: 1, discarded: 2 });
  t.deepEqual(await warnings(ctx), ['gone']);
  t.is((await enqueuedJobs(ctx, sendMailJob)).length, 1);
  const refused = { instanceOf: DomainError, message: /disabled/ };
  await t.throwsAsync(recoverDeliveries(ctx, { id, since }), refused);
  await t.throwsAsync(sendTestEvent(ctx, { id }), refused);

  const { endpoints, deliveries } = await webhooksNeedingAttention(services.context(), 100);
  t.like(
    endpoints.find((endpoint) => endpoint.id === id),
    { tenantId: ctx.tenant.id, disabledReason: 'gone', waiting: 0 },
  );
  t.like(
    deliveries.filter(({ tenantId }) => tenantId === ctx.tenant.id),
    only({ endpointId: id, url, type: 'webhook.test', lastStatus: 410, attemptCount: 1 }),
  );

  receiver.behave({ status: 200 });
  t.like(await enableEndpoint(ctx, { id }), { status: 'enabled', disabled_reason: null, failing_since: null });
  t.deepEqual(await recoverDeliveries(ctx, { id, since }), { recovered: 3 });
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { delivered: 3 });
});

test('a failing endpoint warns its owner after one and three days and is disabled after five', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 503 });
  const { id } = await buildEndpoint(ctx, receiver);
  const seen: [hours: number, mails: number, disabled: boolean][] = [];
  for (let passed = 0; passed <= 126; passed += 6) {
    await recordTests(ctx, id, 1);
    await drainEndpoint(ctx, { endpointId: id });
    const mails = await warnings(ctx);
    const disabled = (await readEndpoint(ctx, id))?.disabledAt != null;
    if (mails.length !== (seen.at(-1)?.[1] ?? 0)) seen.push([passed, mails.length, disabled]);
    clock.pass(hours(6) + 1000);
  }
  t.deepEqual(seen, [
    [24, 1, false],
    [72, 2, false],
    [120, 3, true],
  ]);
  t.deepEqual(await warnings(ctx), [null, null, 'failing']);
  t.is((await countStates(ctx, id))['pending'], undefined);
});

test('an endpoint that failed before its deliveries stood still for days is disabled 12 hours after a warning', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 503 });
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id, 60);
  const seen: [warnings: number, disabled: boolean][] = [];
  for (const wait of [0, days(6), hours(11), hours(2)]) {
    clock.pass(wait);
    for (let time = 0; time < 4; time += 1) {
      await drainEndpoint(ctx, { endpointId: id });
      clock.pass(minutes(4));
    }
    seen.push([(await warnings(ctx)).length, (await readEndpoint(ctx, id))?.disabledAt != null]);
  }
  t.true(receiver.requests.length >= 10, `${receiver.requests.length} failures`);
  t.deepEqual(seen, [
    [0, false],
    [1, false],
    [1, false],
    [2, true],
  ]);
});

test('an endpoint with few deliveries is not disabled before its tenth failure', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 503 });
  const { id } = await buildEndpoint(ctx, receiver);
  const isOn = async () => (await readEndpoint(ctx, id))?.disabledAt == null;
  await recordTests(ctx, id, 1);
  // One delivery, tried every sixth day: time enough has passed long before it failed often enough.
  for (let failures = 1; failures < 10; failures += 1) {
    await drainEndpoint(ctx, { endpointId: id });
    t.deepEqual([receiver.requests.length, await isOn()], [failures, true]);
    clock.pass(days(6));
  }
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual([receiver.requests.length, await isOn()], [10, false]);
});

test('one success resets all failures', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  const counted = () =>
    readOne<Record<string, unknown>>(
      ctx,
      sql`
      select failing_since, failures, failures_in_row, warnings, breaker_openings, breaker_open_until
      from webhook_endpoints where tenant_id = ${ctx.tenant.id} and id = ${id}`,
    );
  const before = await counted();
  receiver.behave({ status: 500 });
  await recordTests(ctx, id, 5);
  for (let day = 0; day < 3; day += 1) {
    await drainEndpoint(ctx, { endpointId: id });
    clock.pass(days(1));
  }
  for (const [name, value] of Object.entries((await counted()) ?? {})) t.notDeepEqual(value, before?.[name], name);
  receiver.behave({ status: 200 });
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(await counted(), before);
});

test('a hanging endpoint with many pending deliveries does not delay others', async (t) => {
  const { ctx } = t.context;
  const [slow, quick] = [await receiverFor(t), await receiverFor(t)];
  slow.behave('hang');
  const hanging = await buildEndpoint(ctx, slow);
  const healthy = await buildEndpoint(ctx, quick);
  await recordTests(ctx, hanging.id, 60);
  await recordTests(ctx, healthy.id, 60);

  const stuck = Promise.all([1, 2, 3].map(() => drainEndpoint(ctx, { endpointId: hanging.id })));
  await until(() => slow.waiting === hanging.concurrency);
  await drainEndpoint(ctx, { endpointId: healthy.id });

  t.deepEqual(await countStates(ctx, healthy.id), { delivered: 60 });
  t.is(slow.waiting, hanging.concurrency);
  slow.behave({ status: 500 });
  slow.release(500);
  await stuck;
  await disableEndpoint(ctx, { id: hanging.id });
});
