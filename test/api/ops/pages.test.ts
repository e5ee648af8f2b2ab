import { request as sendRequest } from 'node:http';
import anyTest, { type TestFn } from 'ava';
import { rebuildDay } from '#jobs/analytics.ts';
import { readOne, transact } from '#src/database/transact.ts';
import { recordOrderPaid } from '#src/domain/analytics/index.ts';
import { exportKindOf, readOperation, requestExport } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder } from '#src/domain/orders/index.ts';
import { recordDrift } from '#src/domain/payments/drift/drift-reports.ts';
import { searchDocuments } from '#src/domain/search/index.ts';
import { listDeliveries } from '#src/domain/webhooks/index.ts';
import { days, hours } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { request } from '#test/domain/shipping/support.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { aggregateAll, buildEvent, plantBatch, sendEvents } from '#test/support/factories/analytics.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount, orderOf } from '#test/support/factories/payments.ts';
import { buildEndpoint, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test.serial('the overview says that nothing needs attention, and names every queue', async (t) => {
  const { status, body, headers } = await t.context.api.call('GET', '/ops');
  t.is(status, 200);
  t.regex(headers.get('content-type') ?? '', /text\/html/);
  t.true(body.includes('Nothing needs attention.'));
  for (const queue of ['payments', 'labels', 'webhooks', 'emails', 'reminders', 'analytics', 'chores']) {
    t.true(body.includes(`<a href="/ops/queues/queue/${queue}">${queue}</a>`), queue);
  }
  t.notRegex(body, /<script|undefined|NaN|\[object/);
  t.regex((await t.context.api.call('GET', '/ops/drift')).body, /None\. Orders and payments agree\./);
});

test.serial('the overview lists what needs attention with the next step and a link', async (t) => {
  const { api, ctx } = t.context;
  await buildPaymentAccount(ctx);
  const order = await buildPaidOrder(ctx, { attentionCodes: ['amount_mismatch'] });
  const { labelId } = await request(ctx);
  await transact(ctx, async ({ tx, tenant, clock }) => {
    await tx.execute(
      sql`update labels set state = 'needs_attention', reason_code = 'no_rates' where tenant_id = ${tenant.id}
        and id = ${labelId}`,
    );
    await tx.execute(sql`update payment_accounts set silent_since = ${clock.now()} where tenant_id = ${tenant.id}`);
    await tx.execute(
      sql`update orders set attentions = '[{"code": "amount_mismatch", "detail": "Paid: <b>$5</b> of $50."}]'
        where tenant_id = ${tenant.id} and id = ${order.id}`,
    );
  });
  const { body } = await api.call('GET', '/ops');
  t.regex(body, /webhooks do not arrive\. <code>inbound_webhook_silent<\/code>[\s\S]+href="\/ops\/drift"/);
  t.regex(body, /Compare the payment with the order[\s\S]+href="\/ops\/drift#orders"/);
  t.regex(body, /No carrier offers a rate for this parcel[\s\S]+href="\/ops\/labels#no_rates"/);

  const drift = (await api.call('GET', '/ops/drift')).body;
  t.true(drift.includes(order.orderNumber));
  t.true(drift.includes('Paid: &lt;b&gt;$5&lt;/b&gt; of $50.'));
  t.true(drift.includes(`npm run cli -- webhooks:register ${ctx.tenant.slug} --replace`));
});

test.serial('the payments page shows the differences of 30 days and their state', async (t) => {
  const { api, ctx, clock } = t.context;
  await buildPaymentAccount(ctx);
  const [here, there] = [await buildPaidOrder(ctx), await buildPaidOrder(ctx, { attentionCodes: ['payment_missing'] })];
  const range = { from: new Date(clock.now().getTime() - hours(49)), to: new Date(clock.now().getTime() - hours(1)) };
  for (let day = 0; day < 2; day += 1) {
    await recordDrift(ctx, range, {
      unpaidHere: day === 0 ? [here.id] : [],
      unpaidThere: [there.id],
      unmadeRenewals: [],
    });
    clock.pass(days(1));
  }
  const { body } = await api.call('GET', '/ops/drift');
  t.is(
    body.match(
      new RegExp(
        `<td class="slug">${there.orderNumber}</td>\\s*<td[^<]*</td>\\s*<td[^<]*provider has no such payment`,
        'g',
      ),
    )?.length,
    1,
    'once, however often it was found',
  );
  t.regex(body, /Paid at the provider but not here\. The comparison marked the order as paid\.[\s\S]+Fixed/);
  t.regex(body, /href="#orders">Needs attention/);

  clock.pass(days(30));
  t.notRegex((await api.call('GET', '/ops/drift')).body, /Paid at the provider but not here/);
});

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
  await transact(ctx, async (ctx) =>
    recordOrderPaid(ctx, {
      orderId: newId('ord'),
      paidAt: ctx.clock.now(),
      totalCents: 12_345,
      currency: 'USD',
      sessionId: 's',
    }),
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

const driftPage = '/ops/drift';

async function dismiss({ api, ctx }: ApiContext, orderId: string, code: string, headers: Record<string, string> = {}) {
  return api.call('POST', `${driftPage}/${ctx.tenant.slug}/orders/${orderId}/dismiss`, {
    body: new URLSearchParams({ code }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

test.serial('/ops/drift lists each attention of an order and dismisses one at a time', async (t) => {
  const { api, ctx } = t.context;
  const order = await buildPaidOrder(ctx, { attentionCodes: ['paid_twice'] });
  await transact(ctx, async (ctx) =>
    (await lockOrder(ctx, order.id))?.flag({ code: 'disputed', detail: 'The bank <asks>.' }),
  );
  const { body } = await api.call('GET', driftPage);
  t.regex(body, /<summary[^>]*>Dismiss<\/summary>[\s\S]+Confirm: it is solved/);
  t.true(body.includes('The bank &lt;asks&gt;.'));
  t.is([...body.matchAll(new RegExp(`>${order.orderNumber}<`, 'g'))].length, 2);
  t.notRegex(body, /<script|undefined|\[object/);

  const response = await dismiss(t.context, order.id, 'paid_twice');
  t.is(response.status, 303);
  t.regex(
    (await api.call('GET', response.headers.get('location') ?? '')).body,
    /The problem is dismissed\.[\s\S]+Respond to the dispute/,
  );
  t.is((await orderOf(ctx, order.id)).attentionCode, 'disputed');

  t.is((await dismiss(t.context, order.id, 'paid_twice')).status, 409, 'what is the matter now is something else');
  t.is((await dismiss(t.context, order.id, 'disputed')).status, 303);
  t.is((await dismiss(t.context, order.id, 'disputed')).status, 303, 'pressing twice is pressing once');
  t.is((await orderOf(ctx, order.id)).attentionCode, null);
  const audited = await readOne<{ count: number }>(
    ctx,
    sql`
    select count(*)::int as count from audit_log
    where tenant_id = ${ctx.tenant.id} and action = 'order.attention_dismissed' and actor_kind = 'operator'`,
  );
  t.is(audited?.count, 2);
});

test.serial("an attention is dismissed only from a page of this origin, in the order's own store", async (t) => {
  const { ctx } = t.context;
  const order = await buildPaidOrder(ctx, { attentionCodes: ['paid_twice'] });
  t.is((await dismiss(t.context, order.id, 'paid_twice', { origin: 'https://elsewhere.example' })).status, 403);
  t.is((await dismiss(t.context, order.id, 'paid_twice', { 'sec-fetch-site': 'cross-site' })).status, 403);
  t.is((await dismiss(t.context, 'ord_01m7xfs208fk1sctzyr3afnpz3', 'paid_twice')).status, 409);
  t.is(
    (await t.context.api.call('POST', `${driftPage}/no-such-store/orders/${order.id}/dismiss`, { body: '' })).status,
    404,
  );
  t.is((await orderOf(ctx, order.id)).attentionCode, 'paid_twice');
});

const webhooksPage = '/ops/webhooks';

async function post(
  { api }: ApiContext,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  return api.call('POST', path, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** An endpoint that failed until its delivery had no attempts left, and the delivery. */
async function givenUp(t: { context: ApiContext; teardown(close: () => Promise<void>): void }) {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500, body: 'a secret of the receiver' });
  const endpoint = await buildEndpoint(ctx, receiver, { url: `${receiver.url}?token=hush` });
  await recordTests(ctx, endpoint.id);
  await runJobs(services);
  await change(
    ctx,
    sql`
    update webhook_deliveries set state = 'failed', lease_token = null, next_attempt_at = null,
      finished_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id}`,
  );
  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId: endpoint.id, limit: 1 });
  return { receiver, endpoint, delivery, at: `${webhooksPage}/${ctx.tenant.slug}` };
}

const change = (ctx: Context, statement: ReturnType<typeof sql>) => transact(ctx, ({ tx }) => tx.execute(statement));

const stateOf = async (ctx: Context, endpointId: string) =>
  (await listDeliveries(ctx, { endpointId, limit: 1 })).rows[0]?.state;

test.serial('/ops/bulk lists the operations of all stores in progress, and cancels one', async (t) => {
  const { api, ctx } = t.context;
  const kind = exportKindOf({ kind: 'stock' });
  const id = await requestExport(ctx, { kind, format: 'csv', from: null, to: null });
  const moving = (await api.call('GET', '/ops/bulk')).body;
  t.true(moving.includes(id));
  t.true(moving.includes(`aria-label="Cancel ${id}"`));
  t.regex(moving, /<meta http-equiv="refresh"[\s\S]+<a href="\?still">/);
  t.notRegex((await api.call('GET', '/ops/bulk?still')).body, /http-equiv="refresh"|\?still/);
  const elsewhere = await api.call('POST', `/ops/bulk/${ctx.tenant.slug}/import/${id}/cancel`, { body: '' });
  t.is(elsewhere.status, 303);
  t.is((await readOperation(ctx, 'export', id))?.state, 'queued');
  const canceled = await api.call('POST', `/ops/bulk/${ctx.tenant.slug}/export/${id}/cancel`, { body: '' });
  t.is(canceled.status, 303);
  t.is((await readOperation(ctx, 'export', id))?.state, 'canceled');
  const { body } = await api.call('GET', '/ops/bulk');
  t.false(body.includes(id));
  t.notRegex(body, /<script|undefined|NaN|\[object/);
});

test.serial('/ops/webhooks lists failing endpoints and failed deliveries, without secrets', async (t) => {
  t.true((await t.context.api.call('GET', webhooksPage)).body.includes('All endpoints are working.'));
  const { endpoint, delivery, at } = await givenUp(t);
  const { status, body } = await t.context.api.call('GET', webhooksPage);
  t.is(status, 200);
  t.regex(body, /<h2>Failing/);
  t.true(body.includes(`${at}/endpoints/${endpoint.id}/recover`));
  t.true(body.includes(`${at}/deliveries/${delivery?.id}/redeliver`));
  t.regex(body, /webhook\.test[\s\S]+500, 1 attempt/);
  t.notRegex(body, /hush|whsec_|a secret of the receiver|<script|undefined/);
  t.regex((await t.context.api.call('GET', '/ops')).body, /A webhook delivery failed after its last attempt\./);
});

test.serial('the button of a failed delivery sends it again', async (t) => {
  const { ctx } = t.context;
  const { endpoint, delivery, at } = await givenUp(t);
  const response = await post(t.context, `${at}/deliveries/${delivery?.id}/redeliver`);
  t.is(response.status, 303);
  t.regex(
    (await t.context.api.call('GET', response.headers.get('location') ?? '')).body,
    /The webhook will be sent again\./,
  );
  t.is(await stateOf(ctx, endpoint.id), 'pending');
  t.is(
    (await post(t.context, `${at}/deliveries/whd_01m7xfs208fk1sctzyr3afnpz3/redeliver`)).status,
    409,
    'one that is not there is refused in words',
  );
  t.is((await post(t.context, `${webhooksPage}/nobody/deliveries/${delivery?.id}/redeliver`)).status, 404);
});

test.serial('the form of a failing endpoint sends again what it missed since a day', async (t) => {
  const { ctx, clock } = t.context;
  const { endpoint, at } = await givenUp(t);
  clock.pass(1000);
  for (const since of ['yesterday', '2026-02-31'])
    t.regex((await post(t.context, `${at}/endpoints/${endpoint.id}/recover`, { since })).body, /Enter the first day/);
  const since = clock.now().toISOString().slice(0, 10);
  const response = await post(t.context, `${at}/endpoints/${endpoint.id}/recover`, { since });
  t.regex(decodeURIComponent(response.headers.get('location') ?? ''), /One webhook will be sent again\./);
  t.is(await stateOf(ctx, endpoint.id), 'pending');
});

test.serial('a disabled endpoint gets nothing until its button enables it', async (t) => {
  const { ctx } = t.context;
  const { endpoint, delivery, at } = await givenUp(t);
  await change(
    ctx,
    sql`
    update webhook_endpoints set disabled_at = ${ctx.clock.now()}, disabled_reason = 'failing'
    where tenant_id = ${ctx.tenant.id} and id = ${endpoint.id}`,
  );
  t.regex((await t.context.api.call('GET', webhooksPage)).body, /Disabled after failing for days/);
  t.regex((await t.context.api.call('GET', '/ops')).body, /<code>disabled<\/code><br>.+enable it and resend/);
  const refused = await post(t.context, `${at}/deliveries/${delivery?.id}/redeliver`);
  t.is(refused.status, 409);
  t.regex(refused.body, /role="alert"[^>]*>[^<]+disabled/);

  t.is((await post(t.context, `${at}/endpoints/${endpoint.id}/enable`)).status, 303);
  t.notRegex((await t.context.api.call('GET', webhooksPage)).body, /Switched off/);
  t.is((await post(t.context, `${at}/deliveries/${delivery?.id}/redeliver`)).status, 303);
});

test.serial('a page of another origin cannot send a webhook again', async (t) => {
  const { ctx } = t.context;
  const { endpoint, delivery, at } = await givenUp(t);
  const foreign = await post(
    t.context,
    `${at}/deliveries/${delivery?.id}/redeliver`,
    {},
    { origin: 'https://evil.example' },
  );
  t.is(foreign.status, 403);
  t.is(await stateOf(ctx, endpoint.id), 'failed');
});

test('in local mode /ops needs no password, but rejects a host name that resolves to this machine', async (t) => {
  const { api } = t.context;
  t.is((await api.call('GET', '/ops/labels')).status, 200);
  const status = await new Promise((resolve, reject) => {
    sendRequest(`${api.url}/ops/labels`, { headers: { host: 'rebound.example' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  t.is(status, 403);
});
