import test from 'ava';

import { drainEndpoint } from '#jobs/webhooks.ts';
import { asPlatform, transact } from '#src/database/transact.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { serveApi } from '#test/support/api.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { scrapeHeaders as headers, openFleet, scrapeToken as token } from '#test/support/fleet.ts';
import { buildTenant } from '#test/support/tenant.ts';

test('/metrics requires its token in every mode', async (t) => {
  const api = await serveApi(await (await openFleet(t)).run('web'));
  t.teardown(api.close);
  for (const path of ['/metrics', '/metrics/queues']) {
    for (const wrong of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${token}` },
      { authorization: 'Bearer' },
    ]) {
      t.like(await api.call('GET', path, { headers: wrong as Record<string, string> }), { status: 401 });
    }
    t.is((await api.call('GET', path, { headers })).status, 200);
  }
});

test('/metrics of any process reports the current state in the format of Prometheus', async (t) => {
  const { clock, run } = await openFleet(t);
  const services = await run('web');
  const api = await serveApi(services);
  t.teardown(api.close);
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  await buildPaidOrder(ctx, { attentionCodes: ['amount_mismatch'] });
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'whe_1', causeId: 'test' }));
  clock.pass(seconds(7));

  const response = await api.call('GET', '/metrics', { headers });
  t.regex(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = String(response.body).split('\n');
  const value = (series: string) =>
    Number(
      lines
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')
        .at(-1) ?? NaN,
    );
  t.is(value('storefront_queue_due{queue="webhooks"}'), 1);
  t.true(value('storefront_queue_oldest_due_seconds{queue="webhooks"}') >= 7);
  t.is(value('storefront_queue_oldest_due_seconds{queue="labels"}'), 0);
  t.true(value('storefront_outbox_lag_seconds') >= 7);
  t.is(value('storefront_needs_attention{kind="order",code="amount_mismatch"}'), 1);
  t.is(value('storefront_redis_up'), 1);
  t.is(value('storefront_processes{process="web"}'), 1);
  for (const series of [
    'storefront_queue_later{queue="chores"}',
    'storefront_queue_failed{queue="labels"}',
    'storefront_reconcile_lag_seconds{quantile="0.95"}',
    'storefront_inbound_events_waiting',
    'storefront_mails_waiting',
    'storefront_deliveries_due',
    'storefront_paused_endpoints',
    'storefront_labels_outcome_unknown',
    'storefront_analytics_oldest_batch_seconds',
    'storefront_open_breakers{provider="stripe"}',
  ])
    t.is(value(series), 0, series);
  // Every line is a comment or a number, and every family is described once.
  for (const line of lines) t.regex(line, /^($|# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.*\})? -?[0-9.e+-]+$)/, line);
  const described = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
  t.is(new Set(described).size, described.length);
});

test('/metrics of the web process reports the counters of workers, also after they have ended', async (t) => {
  const { run } = await openFleet(t);
  const [web, worker, other] = [await run('web'), await run('worker-labels'), await run('worker-labels')];
  const api = await serveApi(web);
  t.teardown(api.close);
  for (const { metrics } of [worker, other, other]) {
    metrics.jobWaited('labels', 0.3);
    metrics.jobStarted('labels', 'labels.purchase-label')('done');
  }
  await worker.close();
  await other.sharedMetrics.read();
  const scrape = async () => String((await api.call('GET', '/metrics', { headers })).body);
  const [first, second] = [await scrape(), await scrape()];
  for (const text of [first, second]) {
    t.regex(text, /^storefront_job_seconds_count\{queue="labels",job="labels\.purchase-label",outcome="done"\} 3$/m);
    t.regex(
      text,
      /^storefront_job_seconds_bucket\{le="\+Inf",queue="labels",job="labels\.purchase-label",outcome="done"\} 3$/m,
    );
    t.regex(text, /^storefront_job_wait_seconds_bucket\{le="0\.2",queue="labels"\} 0$/m);
    t.regex(text, /^storefront_job_wait_seconds_bucket\{le="1",queue="labels"\} 3$/m);
    t.regex(text, /^storefront_processes\{process="worker-labels"\} 1$/m);
  }
  t.regex(second, /^storefront_request_seconds_count\{method="GET",route="\/metrics",status="200"\} 1$/m);
});

test('a process that died without notice is no longer counted', async (t) => {
  const { clock, run } = await openFleet(t);
  const [web, dead] = [await run('web'), await run('worker')];
  await dead.sharedMetrics.read();
  t.is((await web.sharedMetrics.read())?.processes.length, 2);
  clock.pass(seconds(30));
  t.deepEqual(
    (await web.sharedMetrics.read())?.processes.map(({ process }) => process),
    ['web'],
  );
});

test('/metrics reports the state while Redis is unavailable, and counts nothing twice afterwards', async (t) => {
  const { run } = await openFleet(t);
  const services = await run('web', { REDIS_URL: 'redis://127.0.0.1:1' });
  const api = await serveApi(services);
  t.teardown(api.close);
  const text = String((await api.call('GET', '/metrics', { headers })).body);
  t.regex(text, /^storefront_redis_up 0$/m);
  t.regex(text, /^storefront_queue_due\{queue="labels"\} 0$/m);
  t.notRegex(text, /storefront_request_seconds/);
  t.like((await api.call('GET', '/metrics/queues', { headers })).body.queues[0], {
    processes: null,
    suggested_processes: 1,
  });
});

test('/metrics reports the counters while PostgreSQL is unavailable, or a table is locked', async (t) => {
  const { run } = await openFleet(t);
  const [services, away] = [await run('web'), await run('web', { DATABASE_URL: 'postgres://127.0.0.1:1/away' })];
  const hurried = { ...services, timeouts: { ...services.timeouts, scrapeMs: seconds(1) } };
  const [api, hurriedApi, awayApi] = [await serveApi(services), await serveApi(hurried), await serveApi(away)];
  t.teardown(() => Promise.all([api.close(), hurriedApi.close(), awayApi.close()]));
  const scrape = async ({ call }: typeof api) => {
    const { status, body } = await call('GET', '/metrics', { headers });
    t.is(status, 200);
    return String(body);
  };
  t.regex(await scrape(api), /^storefront_database_up 1$/m);
  await asPlatform(services.context(), 'a test', async ({ tx }) => {
    await tx.execute(sql`lock table orders`);
    for (const text of [await scrape(hurriedApi), await scrape(awayApi)]) {
      t.regex(text, /^storefront_database_up 0$/m);
      t.notRegex(text, /storefront_queue_due/);
      t.regex(text, /^storefront_request_seconds_count/m);
    }
  });
  t.regex(await scrape(api), /^storefront_database_up 1$/m);
});

test('/metrics says that PostgreSQL is not up while it accepts no changes, and reports the state all the same', async (t) => {
  const { run } = await openFleet(t);
  const services = await run('web');
  const api = await serveApi(services);
  t.teardown(api.close);
  const scrape = async () => String((await api.call('GET', '/metrics', { headers })).body);
  t.regex(await scrape(), /^storefront_database_up 1$/m);
  const clients = await Promise.all(Array.from({ length: 5 }, () => services.context().database.pool.connect()));
  for (const client of clients) {
    await client.query('set default_transaction_read_only = on');
    client.release();
  }
  await services.executeApart(sql`set default_transaction_read_only = on`);
  const text = await scrape();
  t.regex(text, /^storefront_database_up 0$/m);
  t.regex(text, /^storefront_queue_due\{queue="labels"\} 0$/m);
  t.is((await api.call('GET', '/readyz')).status, 503);
});

test('attempts to send an email are counted by what they say of the mail server', async (t) => {
  const mailbox = await startMailbox();
  t.teardown(() => mailbox.close());
  const control = mailboxControl(mailbox.url);
  const services = await (await openFleet(t)).run('worker-emails', { SMTP_URL: mailbox.smtpUrl });
  const { mailer } = services.context().ports;
  const send = () =>
    mailer
      .send({
        messageId: '<1@shop.example>',
        from: { name: 'Shop', address: 'post@shop.example' },
        to: newAddress(),
        subject: 'Hello',
        text: 'Hello.',
        html: '<p>Hello.</p>',
        headers: {},
      })
      .catch(() => undefined);
  await send();
  await control.fault({ kind: 'reject', code: 550, text: '5.1.1 No such user', times: 1 });
  await send();
  await control.fault({ kind: 'reject', code: 554, text: '5.7.1 Denied', times: 1 });
  await send();
  await control.fault({ kind: 'reject', code: 451, text: '4.7.1 Later', times: 1 });
  await send();
  await control.setDown(true);
  await send();
  const series = await services.metrics.series();
  for (const [outcome, count] of [
    ['accepted', 1],
    ['bounced', 1],
    ['refused', 1],
    ['unavailable', 2],
  ] as const)
    t.is(series.get(`storefront_mail_attempts_total{outcome="${outcome}"}`), count, outcome);
});

test('webhooks with a wrong signature or token are counted by provider', async (t) => {
  const services = await (await openFleet(t)).run('web');
  const api = await serveApi(services);
  t.teardown(api.close);
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  await buildPaymentAccount(ctx);
  await buildShippingAccount(ctx);
  const { slug } = ctx.tenant;
  t.is(
    (await api.call('POST', `/api/webhooks/stripe/${slug}`, { headers: { 'stripe-signature': 't=1,v1=00' }, body: {} }))
      .status,
    400,
  );
  for (const wrong of ['', '?token=wrong'])
    t.is((await api.call('POST', `/api/webhooks/shippo/${slug}${wrong}`, { body: {} })).status, 400);
  const series = await services.metrics.series();
  t.is(series.get(`storefront_inbound_refused_total{tenant="${slug}",provider="stripe"}`), 1);
  t.is(series.get(`storefront_inbound_refused_total{tenant="${slug}",provider="shippo"}`), 2);
});

test('an autoscaler reads how many processes would catch up with each queue', async (t) => {
  const { clock, run } = await openFleet(t);
  const [web, worker] = [await run('web', { WORKER_CONCURRENCY_WEBHOOKS: '2' }), await run('worker-webhooks')];
  const api = await serveApi(web);
  t.teardown(api.close);
  const ctx = { ...web.context(), tenant: await buildTenant(web) };
  await transact(ctx, async (ctx) => {
    for (let count = 0; count < 300; count += 1)
      enqueue(ctx, drainEndpoint, { endpointId: `whe_${count}`, causeId: 'test' });
  });
  clock.pass(seconds(40));
  await worker.sharedMetrics.read();
  const feed = async () => {
    const { body } = await api.call('GET', '/metrics/queues', { headers });
    return body.queues.find(({ queue }: { queue: string }) => queue === 'webhooks');
  };
  // 300 jobs of half a second (assumed) are 150 s of work: five times what two slots do in 15 s.
  t.like(await feed(), {
    process_type: 'worker-webhooks',
    due: 300,
    processes: 1,
    mean_run_seconds: null,
    suggested_processes: 5,
  });
  t.true((await feed()).oldest_due_seconds >= 40);
  const count = async (job: string, outcome: string) => {
    for (let run = 0; run < 10; run += 1) worker.metrics.jobStarted('webhooks', job)(outcome);
    await worker.sharedMetrics.read();
  };
  await count('webhooks.from-the-future', 'returned');
  t.like(await feed(), { mean_run_seconds: null, suggested_processes: 5 }, 'what is returned was not run');
  await count(drainEndpoint.name, 'done');
  t.is((await feed()).suggested_processes, 1, 'runs that take no time need one process');
});

test('a circuit that is open is counted until a call succeeds', async (t) => {
  let now = 0;
  const breaker = new CircuitBreaker({ openMs: 60_000, failures: 2, now: () => now });
  const silent = () => Promise.reject(new ProviderError('stripe', 'away', 'Nobody answered.'));
  for (let call = 0; call < 2; call += 1) await t.throwsAsync(breaker.run('stripe', 'store', silent));
  t.deepEqual(breaker.openByProvider(), { stripe: 1 });
  now = 60_000;
  t.deepEqual(breaker.openByProvider(), { stripe: 1 });
  await breaker.run('stripe', 'store', async () => 'an answer');
  t.deepEqual(breaker.openByProvider(), {});
});
