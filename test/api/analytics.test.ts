import { randomUUID } from 'node:crypto';

import anyTest, { type TestFn } from 'ava';

import { asPlatform, read } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { aggregateAll, aggregatedEvents, buildEvent, waitingBatches } from '#test/support/factories/analytics.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { environment: { TRUSTED_PROXY_HOPS: '1' } });

const path = '/api/v1/analytics/events';
const send = (
  { api, tenant }: ApiContext,
  events: readonly unknown[],
  more: { headers?: Record<string, string>; body?: object } = {},
) =>
  api.call('POST', path, {
    tenant: tenant.slug,
    body: { events, ...more.body },
    headers: { 'user-agent': 'Firefox', ...more.headers },
  });

test.serial('POST /analytics/events stores a batch that is counted a moment later', async (t) => {
  const { services, ctx } = t.context;
  const view = buildEvent({
    occurred_at: fromNow(t.context.clock, -seconds(20)).toISOString(),
    properties: { list: 'new' },
  });
  const response = await send(t.context, [
    view,
    buildEvent({ type: 'cart_item_added', value_cents: 3800, currency: 'USD' }),
  ]);
  t.is(response.status, 200);
  t.deepEqual(response.body, { accepted: 2, rejected: [] });
  t.is(response.headers.get('cache-control'), 'no-store');
  t.is(await waitingBatches(ctx), 1, 'one row for all of them');
  await aggregateAll(services);
  t.is(await waitingBatches(ctx), 0);
  const [first, second] = await aggregatedEvents(ctx);
  t.like(first, { type: 'product_viewed', source: 'client', bot: false, properties: { list: 'new' } });
  t.like(second, { type: 'cart_item_added', value_cents: 3800 });
});

test.serial('POST /analytics/events ignores what no event has, and does not store it', async (t) => {
  const { tenant, ctx } = t.context;
  const { body } = await send(t.context, [{ ...buildEvent(), id: 'evt_1', email: 'ada@example.com' }]);
  t.deepEqual(body, { accepted: 1, rejected: [] });
  const [batch] = await read<{ events: readonly object[] }>(
    ctx,
    sql`select events from analytics_batches where tenant_id = ${tenant.id}`,
  );
  t.false(JSON.stringify(batch).includes('ada@example.com'));
  t.true(JSON.stringify(batch).includes('product_viewed'));
});

test.serial(
  'POST /analytics/events takes what a page leaves empty as omitted, and a currency in lower case',
  async (t) => {
    const { services, ctx } = t.context;
    const texts = ['session_id', 'anonymous_id', 'customer_id', 'order_id', 'cart_id', 'product_slug', 'variant_id'];
    const empty = Object.fromEntries(texts.map((name) => [name, '']));
    const { body } = await send(t.context, [buildEvent({ ...empty, value_cents: 3800, currency: 'usd' })]);
    t.deepEqual(body, { accepted: 1, rejected: [] });
    await aggregateAll(services);
    const [event] = await aggregatedEvents(ctx);
    t.like(event, { customer_id: null, product_slug: null, value_cents: 3800, currency: 'USD' });
  },
);

test.serial(
  'POST /analytics/events accepts a beacon: plain text without headers, the tenant in the query',
  async (t) => {
    const { api, tenant, ctx } = t.context;
    const body = JSON.stringify({ events: [buildEvent()] });
    for (const headers of [
      { 'content-type': 'text/plain;charset=UTF-8' },
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json' },
    ]) {
      const response = await api.call('POST', `${path}?tenant=${tenant.slug}`, { body, headers });
      t.is(response.status, 200);
      t.is(response.body.accepted, 1);
    }
    t.is(await waitingBatches(ctx), 3);
    t.is(
      (await api.call('POST', `${path}?tenant=nobody`, { body, headers: { 'content-type': 'text/plain' } })).body.error,
      'unknown_tenant',
    );
    t.is((await api.call('POST', path, { body })).body.error, 'missing_tenant');
    t.is(
      (await api.call('POST', path, { tenant: tenant.slug, body, headers: { 'content-type': 'text/html' } })).status,
      415,
    );
    const twoStores = await api.call('POST', `${path}?tenant=other`, { tenant: tenant.slug, body });
    t.is(twoStores.status, 400);
  },
);

test.serial('POST /analytics/events rejects an invalid event and accepts the others', async (t) => {
  const { body, status } = await send(t.context, [
    buildEvent(),
    { type: 'Not A Type' },
    {},
    'view',
    buildEvent({ event_id: 'seven' }),
    buildEvent({ occurred_at: 'yesterday' }),
    buildEvent({ value_cents: -1 }),
    buildEvent({ properties: { text: 'a'.repeat(4100) } }),
    buildEvent({ unknown: true, session_id: null }),
  ]);
  t.is(status, 200);
  t.is(body.accepted, 2);
  t.deepEqual(
    body.rejected.map(({ index, code }: any) => [index, code]),
    [
      [1, 'pattern'],
      [2, 'required'],
      [3, 'type'],
      [4, 'pattern'],
      [5, 'format'],
      [6, 'minimum'],
      [7, 'too_large'],
    ],
  );
  t.true(body.rejected.every(({ detail }: any) => detail.length > 5));
  const none = await send(t.context, [{ type: '' }]);
  t.is(none.status, 200);
  t.is(none.body.accepted, 0);
  t.is(await waitingBatches(t.context.ctx), 1, 'nothing is kept of a batch of which nothing fits');
});

test.serial('POST /analytics/events rejects an event whose text cannot be stored, and no other', async (t) => {
  const { api, tenant } = t.context;
  for (const text of ['nul \\u0000', 'half a pair \\ud83d']) {
    const body = `{"events":[{"type":"page_viewed"},{"type":"page_viewed","properties":{"text":"${text}"}}]}`;
    const headers = { 'content-type': 'text/plain' };
    t.like((await api.call('POST', path, { tenant: tenant.slug, body, headers })).body, {
      accepted: 1,
      rejected: only({ index: 1, detail: '/properties/text must not contain a NUL character or half a character' }),
    });
  }
  const sentAt = '{"events":[{"type":"page_viewed"}],"sent_at":"\\ud83d"}';
  t.is((await api.call('POST', path, { tenant: tenant.slug, body: sentAt })).status, 200);
});

test.serial('POST /analytics/events rejects an invalid body as a whole', async (t) => {
  const { api, tenant } = t.context;
  const post = (body: unknown, headers = {}) => api.call('POST', path, { tenant: tenant.slug, body, headers });
  t.is((await post({})).body.error, 'invalid_request');
  t.is((await post({ events: [] })).body.error, 'invalid_request');
  t.is((await post({ events: {} })).body.error, 'invalid_request');
  t.is((await post('{"events":', { 'content-type': 'text/plain' })).body.error, 'invalid_json');
  const many = await post({ events: Array.from({ length: 501 }, () => ({ type: 'page_viewed' })) });
  t.is(many.status, 400);
  t.is(many.body.error, 'too_many_items');
  t.is((await post({ events: Array.from({ length: 500 }, () => ({ type: 'page_viewed' })) })).body.accepted, 500);
  const large = await post({ events: [{ type: 'page_viewed', properties: { text: 'a'.repeat(513 * 1024) } }] });
  t.is(large.status, 413);
  t.is(large.body.error, 'payload_too_large');
});

test.serial("POST /analytics/events stores no IP, and a visitor's pseudonym differs by day and store", async (t) => {
  const { ctx, services, clock } = t.context;
  const from = (address: string) =>
    send(t.context, [{ type: 'page_viewed' }], { headers: { 'x-forwarded-for': address } });
  await from('203.0.113.77');
  await from('203.0.113.9');
  await from('198.51.100.4');
  await from('2001:db8:7:1::5');
  await from('2001:db8:7:ffff::6');
  clock.pass(hours(24));
  await from('203.0.113.77');
  await aggregateAll(services);
  const events = await aggregatedEvents(ctx);
  const visitors = events.map(({ visitor }) => visitor);
  t.is(new Set(visitors).size, 4, 'a network is one visitor, until the day is over');
  const [dump] = await read<{ text: string }>(
    ctx,
    sql`select json_agg(e)::text as text from analytics_events e where tenant_id = ${ctx.tenant.id}`,
  );
  t.notRegex(dump?.text ?? '', /203\.0\.113|198\.51\.100|2001:db8|Firefox/);
});

test.serial('POST /analytics/events flags bots, but not servers of storefronts', async (t) => {
  const { ctx, services } = t.context;
  const as = (userAgent: string) =>
    send(t.context, [buildEvent({ session_id: userAgent })], { headers: { 'user-agent': userAgent } });
  const robots = [
    'Mozilla/5.0 (compatible; Googlebot/2.1)',
    'HeadlessChrome/120',
    'bingbot/2.0',
    'facebookexternalhit/1.1',
  ];
  const people = ['Mozilla/5.0 (Macintosh) Safari/605', 'node', 'python-requests/2.31', ''];
  for (const userAgent of [...robots, ...people]) await as(userAgent);
  await aggregateAll(services);
  const events = await aggregatedEvents(ctx);
  t.deepEqual(
    events
      .filter(({ bot }) => bot)
      .map(({ session_id }) => session_id)
      .toSorted(),
    robots.toSorted(),
  );
});

test.serial(
  'POST /analytics/events returns 429 while aggregation is too slow, but not while no worker runs',
  async (t) => {
    const { ctx, services, clock } = t.context;
    const plant = (waitedMs: number) =>
      asPlatform(services.context(), 'a test', (platform) =>
        platform.tx.execute(sql`
    insert into analytics_batches (tenant_id, id, received_at, source, bot, event_count, events)
    values (${ctx.tenant.id}, ${`bat_${waitedMs}`}, ${fromNow(clock, -waitedMs)}, 'client', false, 1, '[]')`),
      );
    await clock.standStill(async () => {
      clock.pass(seconds(1));
      await Promise.all([plant(900), plant(800)]);
      t.is((await send(t.context, [buildEvent()])).status, 200, 'no worker was seen to aggregate');

      await asPlatform(services.context(), 'a test', (platform) =>
        platform.tx.execute(sql`delete from analytics_batches where id = 'bat_900'`),
      );
      clock.pass(200);
      const refused = await send(t.context, [buildEvent()]);
      t.is(refused.status, 429);
      t.is(refused.body.error, 'rate_limited');
      t.is(refused.headers.get('retry-after'), '1');
    });

    clock.pass(seconds(1));
    t.is((await send(t.context, [buildEvent()])).status, 200, 'no worker aggregates any more');
    await aggregateAll(services);
    clock.pass(seconds(1));
    t.is((await send(t.context, [buildEvent()])).status, 200);
    await aggregateAll(services);
  },
);

test.serial(
  'POST /analytics/events of a store that floods it returns 429, and that of another store 200',
  async (t) => {
    const { services, clock, tenant } = t.context;
    const other = { ...t.context, tenant: await buildTenant(services) };
    const asOperator = (statement: Sql) =>
      asPlatform(services.context(), 'a test', (platform) => platform.tx.execute(statement));
    const plant = (tenantId: string, id: string, events: number) =>
      asOperator(sql`
      insert into analytics_batches (tenant_id, id, received_at, source, bot, event_count, events)
      values (${tenantId}, ${id}, ${fromNow(clock, -900)}, 'client', false, ${events}, '[]')`);
    await aggregateAll(services);
    await clock.standStill(async () => {
      clock.pass(seconds(1));
      await Promise.all(['bat_1', 'bat_2', 'bat_3'].map((id) => plant(tenant.id, id, 500)));
      await plant(other.tenant.id, 'bat_4', 1);
      await asOperator(sql`update analytics_batches set received_at = ${fromNow(clock, -950)} where id = 'bat_1'`);
      t.is((await send(other, [buildEvent()])).status, 200, 'no worker was seen to aggregate');
      await asOperator(sql`delete from analytics_batches where id = 'bat_1'`);
      clock.pass(200);
      t.is((await send(t.context, [buildEvent()])).status, 429);
      t.is((await send(other, [buildEvent()])).status, 200);
      const third = { ...t.context, tenant: await buildTenant(services) };
      t.is((await send(third, [buildEvent()])).status, 200, 'nothing of it waits');
    });
    await aggregateAll(services);
  },
);

test.serial('POST /analytics/events returns 429 when too many events wait while no worker runs', async (t) => {
  const { ctx, services, clock, tenant } = t.context;
  const pile = (tenantId: string) =>
    asPlatform(services.context(), 'a test', (platform) =>
      platform.tx.execute(sql`
    insert into analytics_batches (tenant_id, id, received_at, source, bot, event_count, events)
    values (${tenantId}, ${`bat_${randomUUID()}`}, ${clock.now()}, 'client', false, 500000, '[]')`),
    );
  await pile(tenant.id);
  clock.pass(seconds(1));
  const refused = await send(t.context, [buildEvent()]);
  t.is(refused.status, 429);
  t.is(refused.body.error, 'rate_limited');
  t.is(refused.headers.get('retry-after'), '5');
  t.is(refused.body.retry_after, 5);
  t.is(await waitingBatches(ctx), 1);

  await aggregateAll(services);
  clock.pass(seconds(1));
  t.is((await send(t.context, [buildEvent()])).status, 200);
});

test.serial('POST /analytics/events returns 429 for too many small batches as well', async (t) => {
  const { services, clock, tenant } = t.context;
  const asOperator = (statement: Sql) =>
    asPlatform(services.context(), 'a test', (platform) => platform.tx.execute(statement));
  await asOperator(sql`
    insert into analytics_batches (tenant_id, id, received_at, source, bot, event_count, events)
    select ${tenant.id}, 'bat_' || number, ${clock.now()}::timestamptz, 'client', false, 1, '[]'
    from generate_series(1, 20000) as number`);
  clock.pass(seconds(1));
  t.is((await send(t.context, [buildEvent()])).status, 429);
  await asOperator(sql`delete from analytics_batches where tenant_id = ${tenant.id} and id like '%7'`);
  clock.pass(seconds(1));
  t.is((await send(t.context, [buildEvent()])).status, 200);
  await asOperator(sql`delete from analytics_batches where tenant_id = ${tenant.id}`);
});

test.serial('POST /analytics/events executes one statement', async (t) => {
  const { services } = t.context;
  await send(t.context, [buildEvent()]);
  const { statements } = await countStatements(services, () => send(t.context, [buildEvent(), buildEvent()]));
  t.is(statements.filter((text) => !/from tenants/.test(text) && !/as waiting/.test(text)).length, 1);
});

test.serial('GET /admin/analytics requires a key with the scope', async (t) => {
  const { api, ctx, tenant } = t.context;
  const key = await buildKey(ctx, ['admin:read']);
  for (const page of ['funnel', 'daily']) {
    const at = `/api/v1/admin/analytics/${page}`;
    t.is((await api.call('GET', at, { key })).status, 200);
    t.is((await api.call('GET', `${at}?from=2026-01-02T03:04:05Z&to=2026-01-03`, { key })).status, 200);
    t.is((await api.call('GET', at, { tenant: tenant.slug })).body.error, 'missing_key');
    t.is((await api.call('GET', at, { key: await buildKey(ctx, ['analytics:write']) })).status, 403);
    for (const query of [
      'from=2026-02-30',
      'from=monday',
      'from=2026-02-02&to=2026-02-01',
      'from=1999-01-01&to=2026-01-01',
    ]) {
      t.is((await api.call('GET', `${at}?${query}`, { key })).body.error, 'invalid_request', query);
    }
  }
});
