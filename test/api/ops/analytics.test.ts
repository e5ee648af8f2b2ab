import anyTest, { type TestFn } from 'ava';

import { rebuildDay } from '#jobs/analytics.ts';
import { transact } from '#src/database/transact.ts';
import { recordOrderPaid } from '#src/domain/analytics/index.ts';
import { searchDocuments } from '#src/domain/search/index.ts';
import { newId } from '#src/lib/ids.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { aggregateAll, buildEvent, plantBatch, sendEvents } from '#test/support/factories/analytics.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test.serial('GET /ops/analytics shows the backlog and the stores with events', async (t) => {
  const { api, ctx, services, tenant } = t.context;
  t.regex((await api.call('GET', '/ops/analytics')).body, /All received events are counted\./);
  await sendEvents(ctx, [buildEvent(), buildEvent()]);
  t.regex((await api.call('GET', '/ops/analytics')).body, /2 events in 1 batch wait/);
  await aggregateAll(services);
  const { status, headers, body } = await api.call('GET', '/ops/analytics');
  t.is(status, 200);
  t.regex(headers.get('content-type') ?? '', /text\/html/);
  t.true(body.includes(`<a href="/ops/analytics/${tenant.slug}">${tenant.slug}</a>`));
});

test.serial('GET /ops/analytics shows quarantined batches with a link to their jobs', async (t) => {
  const { api, ctx, services } = t.context;
  t.notRegex((await api.call('GET', '/ops/analytics')).body, /quarantined/);
  await plantBatch(ctx, { id: 'not one' });
  await aggregateAll(services);
  t.regex(
    (await api.call('GET', '/ops/analytics')).body,
    /1 batch could not be counted and is quarantined:\s+see the failed jobs of the queue <a href="\/ops\/queues\/queue\/analytics\?status=failed">/,
  );
});

test.serial('GET /ops/analytics/:slug shows charts of a store, whose days can be recalculated', async (t) => {
  const { api, ctx, services, tenant } = t.context;
  await sendEvents(ctx, [buildEvent({ session_id: 's' }), buildEvent({ type: 'cart_item_added', session_id: 's' })]);
  await transact(ctx, (ctx) =>
    recordOrderPaid(ctx, { orderId: newId('ord'), totalCents: 12_345, currency: 'USD', sessionId: 's' }),
  );
  await searchDocuments(ctx, { q: '<b>submarine</b>' });
  await aggregateAll(services);
  const page = `/ops/analytics/${tenant.slug}`;
  const { body } = await api.call('GET', page);
  t.regex(body, /<svg[^>]+aria-label="Sessions by step"/);
  t.regex(body, /\$123\.45/);
  t.true(body.includes('&lt;b&gt;submarine&lt;/b&gt;'));
  t.notRegex(body, /<script|NaN|undefined/);
  const rebuilt = await api.call('POST', `${page}/rebuild`);
  t.is(rebuilt.status, 303);
  t.is((await enqueuedJobs(ctx, rebuildDay)).length, 30);
  t.regex((await api.call('GET', rebuilt.headers.get('location') ?? '')).body, /being recalculated/);
  t.is((await api.call('GET', '/ops/analytics/nobody')).status, 404);
  t.regex((await api.call('GET', '/metrics')).body, /storefront_analytics_oldest_batch_seconds 0\n/);
});
