import test, { type ExecutionContext } from 'ava';

import { sweepStoreEvents as sweepJob } from '#jobs/payments.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { transact } from '#src/database/transact.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { startMailbox } from '#src/dev/simulators/mailbox/simulator.ts';
import type { Context } from '#src/domain/context.ts';
import { sweepStoreEvents } from '#src/domain/payments/index.ts';
import { minutes } from '#src/lib/duration.ts';
import type { ProviderError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordFailed, retryFailed } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';
import { buy } from '#test/domain/payments/support.ts';
import { request } from '#test/domain/shipping/support.ts';
import { serveApi, type TestApi } from '#test/support/api.ts';
import { markdownFile, tableAfter } from '#test/support/documents.ts';
import { aggregateAll, buildEvent, sendEvents } from '#test/support/factories/analytics.ts';
import { buildMail, newAddress, orderMail } from '#test/support/factories/mail.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { type Fleet, openFleet, scrapeHeaders } from '#test/support/fleet.ts';
import { startRound } from '#test/support/job-attempts.ts';
import { holds, readScrape, type Scrape } from '#test/support/prometheus.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

/* Each alert that the documents suggest begins with its condition, lasts as long, and ends with it. */

interface World {
  readonly t: ExecutionContext;
  readonly fleet: Fleet;
  readonly services: Services;
  readonly api: TestApi;
  readonly ctx: Context;
  /** What Prometheus scrapes; undefined where nothing responds. */
  target: TestApi | undefined;
}

interface Condition {
  /** What happens beforehand, and is another alert's. */
  readonly other?: (world: World) => Promise<unknown>;
  readonly begin?: (world: World) => Promise<unknown>;
  /** What happens each minute, from the first one on, while the condition lasts. */
  readonly eachMinute?: (world: World, minute: number) => Promise<unknown>;
  readonly end?: (world: World) => Promise<unknown>;
}

const drain = ({ ctx }: World) =>
  transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'whe_1', causeId: 'test' }));
const runDue = ({ services }: World) => runJobs(services);

/** Scrape another process, that can reach no server of this kind. */
const scrapeWithout =
  (environment: Record<string, string>) =>
  async (world: World): Promise<void> => {
    const api = await serveApi(await world.fleet.run('web', environment), { isRecorded: false });
    world.t.teardown(api.close);
    world.target = api;
  };
const scrapeAgain = async (world: World) => {
  world.target = world.api;
};

/** So many requests of shoppers, of a process that has lost its database. */
async function fail({ fleet, t, ctx }: World, requests: number): Promise<void> {
  const services = await fleet.run('web', { DATABASE_URL: 'postgres://127.0.0.1:1/away' });
  const api = await serveApi(services, { isRecorded: false });
  for (let count = 0; count < requests; count += 1)
    t.is((await api.call('GET', '/api/v1/products', { tenant: ctx.tenant.slug })).status, 503);
  await services.sharedMetrics.read();
  await api.close();
}

const flagOrder = ({ ctx }: World) => buildPaidOrder(ctx, { attentionCodes: ['amount_mismatch'] });
const flagLabel = async ({ ctx }: World) => {
  await buildShippingAccount(ctx);
  await request(ctx);
  await transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`
      update labels set state = 'needs_attention', reason_code = 'no_rates' where tenant_id = ${tenant.id}`),
  );
};

/** Calls it as often as opens a circuit. Returns how the last call failed. */
async function callShippo({ services, ctx }: World): Promise<string | undefined> {
  const { shipping } = services.context().ports;
  const call = () => shipping.checkAccount({ tenantId: ctx.tenant.id, apiKey: 'shippo_test_1' });
  let failure: string | undefined;
  for (let calls = 0; calls < 5; calls += 1) {
    failure = await call().then(
      () => undefined,
      (error: ProviderError) => error.failure,
    );
  }
  return failure;
}

const conditions: Readonly<Record<string, Condition>> = {
  'absent(storefront_database_up)': {
    begin: async (world) => {
      world.target = undefined;
    },
    end: scrapeAgain,
  },
  'storefront_outbox_lag_seconds > 30': {
    begin: drain,
    end: ({ services }) => claimDue(services.execute, [drainEndpoint.name], services.clock.now()),
  },
  'storefront_queue_oldest_due_seconds{queue="payments"} > 60': {
    begin: ({ ctx }) => transact(ctx, async (ctx) => enqueue(ctx, sweepJob, { period: 1 })),
    end: runDue,
  },
  'storefront_queue_oldest_due_seconds > 600': { begin: drain, end: runDue },
  'storefront_analytics_oldest_batch_seconds > 600': {
    begin: ({ ctx }) => sendEvents(ctx, [buildEvent()]),
    end: ({ services }) => aggregateAll(services),
  },
  'sum(rate(storefront_request_seconds_count{route!="/readyz",status=~"5.."}[5m])) > 0.1': {
    eachMinute: (world) => fail(world, 10),
  },
  'sum(rate(storefront_request_seconds_count{route=~"/api/.*",status=~"5.."}[5m])) > 0.05 * sum(rate(storefront_request_seconds_count{route=~"/api/.*"}[5m]))':
    {
      eachMinute: async (world) => {
        await fail(world, 1);
        for (let count = 0; count < 9; count += 1)
          await world.api.call('GET', '/api/v1/products', { tenant: world.ctx.tenant.slug });
      },
    },
  'storefront_queue_failed > 0': {
    begin: async (world) => {
      const { services } = world;
      await drain(world);
      const [job] = (await claimDue(services.execute, [drainEndpoint.name], services.clock.now())).claims;
      await recordFailed(services.execute, await startRound(services, job?.id), services.clock.now(), 'It was no use.');
    },
    end: async (world) => {
      await retryFailed(world.services.execute, { queue: 'webhooks' }, world.services.clock.now());
      await runDue(world);
    },
  },
  'storefront_database_up == 0': {
    begin: scrapeWithout({ DATABASE_URL: 'postgres://127.0.0.1:1/away' }),
    end: scrapeAgain,
  },
  'storefront_redis_up == 0': { begin: scrapeWithout({ REDIS_URL: 'redis://127.0.0.1:1' }), end: scrapeAgain },
  'sum(storefront_needs_attention{kind=~"payments|label|shipping"}) > (sum(storefront_needs_attention{kind=~"payments|label|shipping"} offset 5m) or vector(0))':
    { other: flagOrder, begin: flagLabel },
  'sum(storefront_needs_attention{kind!~"payments|label|shipping"}) > (sum(storefront_needs_attention{kind!~"payments|label|shipping"} offset 5m) or vector(0))':
    { other: flagLabel, begin: flagOrder },
  'storefront_open_breakers > 0': {
    begin: callShippo,
    eachMinute: callShippo,
    end: async (world) => {
      shippo.behave({ status: 401, body: '{}' });
      await until(async () => (await callShippo(world)) === 'denied');
    },
  },
  'storefront_labels_outcome_unknown_oldest_seconds > 3600': {
    begin: async ({ ctx }) => {
      await buildShippingAccount(ctx);
      const { labelId } = await request(ctx);
      await transact(ctx, ({ tx, tenant, clock }) =>
        tx.execute(sql`
        update labels set state = 'buying', rate_id = 'rate', buy_token = 'token', buying_since = ${clock.now()},
          lease_token = 'lease', lease_expires_at = ${clock.now()}
        where tenant_id = ${tenant.id} and id = ${labelId}`),
      );
    },
    end: ({ ctx }) =>
      transact(ctx, ({ tx, tenant }) =>
        tx.execute(sql`
        update labels set state = 'rate_chosen', buy_token = null, buying_since = null, lease_token = null,
          lease_expires_at = null
        where tenant_id = ${tenant.id}`),
      ),
  },
  'storefront_reconcile_lag_seconds{quantile="0.95"} > 120': {
    begin: ({ ctx }) => buildPaymentAccount(ctx),
    // Shoppers pay each minute, no webhook arrives, and every five minutes the events are swept.
    eachMinute: async ({ services, ctx }, minute) => {
      const payments = ctx.ports.payments as ReturnType<typeof fakePaymentGateway>;
      const { sessionId } = await buy(ctx, payments);
      payments.change(sessionId, { state: 'settled' });
      payments.events.push({
        eventId: newId('evt'),
        type: 'checkout.session.completed',
        subject: 'session',
        objectId: sessionId,
        metadata: null,
        createdAt: ctx.clock.now(),
      });
      if (minute % 5 === 4) await sweepStoreEvents(ctx);
      await runJobs(services);
    },
  },
  'sum(rate(storefront_mail_attempts_total{outcome="unavailable"}[15m])) > 0 unless sum(rate(storefront_mail_attempts_total{outcome="accepted"}[15m])) > 0':
    {
      eachMinute: async ({ services, ctx }) => {
        await buildMail(ctx, { kind: 'receipt', to: newAddress(), data: orderMail(), subjectId: newId('ord') });
        await runJobs(services);
      },
      end: () => mailbox.setDown(false),
    },
  'rate(storefront_inbound_refused_total[10m]) > 0': {
    begin: ({ ctx }) => buildPaymentAccount(ctx),
    eachMinute: ({ api, ctx }) =>
      api.call('POST', `/api/webhooks/stripe/${ctx.tenant.slug}`, {
        headers: { 'stripe-signature': 't=1,v1=00' },
        body: {},
      }),
  },
};

const inbox = await startMailbox();
const mailbox = mailboxControl(inbox.url);
await mailbox.setDown(true);
/** Closes each connection, until it is told otherwise. */
const shippo = await startReceiver();
shippo.behave('reset');
test.after.always(() => Promise.all([inbox.close(), shippo.close()]));

const alerts = tableAfter(markdownFile('src/api/ops/README.md'), '### Alerts').map(
  ([expression = '', lasting = '', severity]) => ({
    expression: expression.replaceAll('`', ''),
    lastingMinutes: Number.parseInt(lasting, 10),
    severity,
  }),
);

test('each suggested alert is a page or a ticket', (t) => {
  t.deepEqual([...new Set(alerts.map(({ severity }) => severity))].toSorted(), ['page', 'ticket']);
});

test('each suggested alert has a condition here', (t) => {
  t.deepEqual(alerts.map(({ expression }) => expression).toSorted(), Object.keys(conditions).toSorted());
});

for (const { expression, lastingMinutes } of alerts) {
  const { other, begin, eachMinute, end } = conditions[expression] ?? {};

  test(`the alert ${expression} begins with its condition and ends after it`, async (t) => {
    const fleet = await openFleet(t);
    const environment = { SMTP_URL: inbox.smtpUrl, SHIPPO_API_BASE: shippo.url, BREAKER_OPEN: '1ms' };
    const services = await fleet.run('web', environment, { payments: fakePaymentGateway() });
    const api = await serveApi(services, { isRecorded: false });
    t.teardown(api.close);
    const ctx = { ...services.context(), tenant: await buildTenant(services) };
    const world: World = { t, fleet, services, api, ctx, target: api };
    const scrapes: Scrape[] = [];
    const scrape = async () => {
      const text = world.target && (await world.target.call('GET', '/metrics', { headers: scrapeHeaders })).body;
      scrapes.push(readScrape(fleet.clock.now().getTime(), text ?? ''));
      return holds(expression, scrapes);
    };
    const nextMinute = async (minute?: number) => {
      fleet.clock.pass(minutes(1));
      if (minute !== undefined) await eachMinute?.(world, minute);
      return scrape();
    };

    t.false(await scrape());
    t.false(await nextMinute(), 'all is well');
    await other?.(world);
    t.false(await nextMinute(), 'it is about something else');
    await begin?.(world);
    let minute = 0;
    while (!(await nextMinute(minute))) {
      minute += 1;
      t.true(minute < 75, 'it begins');
      if (minute >= 75) return;
    }
    for (let lasted = 0; lasted < lastingMinutes; lasted += 1) {
      minute += 1;
      if (!(await nextMinute(minute))) return t.fail(`it lasted ${lasted} of ${lastingMinutes} minutes`);
    }
    await end?.(world);
    for (let after = 0; await nextMinute(); after += 1) if (after > 20) return t.fail('it ends');
  });
}
