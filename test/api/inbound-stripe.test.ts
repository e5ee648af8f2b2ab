import anyTest, { type TestFn } from 'ava';
import Stripe from 'stripe';

import { reconcilePaymentEvent } from '#jobs/payments.ts';
import { transact } from '#src/database/transact.ts';
import { savePaymentAccount } from '#src/domain/payments/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { verifyEvent } from '#src/providers/stripe/events.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { ports: { payments: { ...fakePaymentGateway(), verifyEvent } } });
const { webhooks } = new Stripe('sk_test_unused');

const eventBody = ({ tenant }: ApiContext, id = `evt_${randomText(14)}`) =>
  JSON.stringify(
    {
      id,
      object: 'event',
      type: 'checkout.session.completed',
      created: 1_790_000_000,
      api_version: '2026-10-28.endive',
      data: {
        object: {
          id: 'cs_test_1',
          object: 'checkout.session',
          metadata: { platform_tenant_id: tenant.id, platform_order_id: 'ord_1', platform_environment: 'test' },
        },
      },
    },
    null,
    2,
  );

const sign = (payload: string, secret: string, at = Date.now()) =>
  webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at / 1000) });

const deliver = ({ api, tenant }: ApiContext, payload: string, signature: string, slug = tenant.slug) =>
  api.call('POST', `/api/webhooks/stripe/${slug}`, { body: payload, headers: { 'stripe-signature': signature } });

test.serial('a signed delivery is stored and enqueued once, however often it arrives', async (t) => {
  const { ctx } = t.context;
  const { webhookSecret } = await buildPaymentAccount(ctx);
  const payload = eventBody(t.context, 'evt_twice');
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await deliver(t.context, payload, sign(payload, webhookSecret));
    t.deepEqual([status, body], [200, { received: true }]);
  }
  t.deepEqual(await enqueuedJobs(ctx, reconcilePaymentEvent), [{ eventId: 'evt_twice', attempt: 1 }]);
});

test.serial('a wrong, old or missing signature is rejected, and nothing is stored', async (t) => {
  const { ctx } = t.context;
  const { webhookSecret } = await buildPaymentAccount(ctx);
  const payload = eventBody(t.context);
  t.is((await deliver(t.context, payload, sign(payload, 'whsec_another'))).status, 400);
  t.is((await deliver(t.context, payload, sign(payload, webhookSecret, Date.now() - 400_000))).status, 400);
  t.is((await deliver(t.context, payload, '')).status, 400);
  t.is((await deliver(t.context, `${payload} `, sign(payload, webhookSecret))).status, 400);
  t.deepEqual(await enqueuedJobs(ctx, reconcilePaymentEvent), []);
});

test.serial('during a rotation, webhooks signed with either secret are accepted', async (t) => {
  const { ctx } = t.context;
  const { webhookSecret, secretKey } = await buildPaymentAccount(ctx);
  const payload = eventBody(t.context);
  await deliver(t.context, payload, sign(payload, webhookSecret));
  await transact(ctx, (ctx) =>
    savePaymentAccount(ctx, {
      provider: 'stripe',
      mode: 'direct',
      automatic_tax: false,
      secret_key: secretKey,
      webhook_secret: 'whsec_new',
    }),
  );
  for (const secret of ['whsec_new', webhookSecret]) {
    const next = eventBody(t.context);
    t.is((await deliver(t.context, next, sign(next, secret))).status, 200);
  }
});

test.serial(
  'POST /webhooks/stripe rejects an unknown store, an unreadable body and one that is too large',
  async (t) => {
    const { ctx } = t.context;
    const { webhookSecret } = await buildPaymentAccount(ctx);
    const payload = eventBody(t.context);
    const nowhere = await deliver(t.context, payload, sign(payload, webhookSecret), 'no-such-shop');
    t.deepEqual([nowhere.status, nowhere.body.error], [404, 'unknown_tenant']);
    t.is((await deliver(t.context, 'not json', sign('not json', webhookSecret))).status, 400);
    const large = JSON.stringify({ filling: 'x'.repeat(600 * 1024) });
    t.is((await deliver(t.context, large, sign(large, webhookSecret))).status, 413);
  },
);

test.serial('a webhook signed with the secret of another store is rejected', async (t) => {
  const { ctx, services } = t.context;
  const { webhookSecret } = await buildPaymentAccount(ctx);
  const other = await buildTenant(services);
  const payload = eventBody(t.context);
  t.is((await deliver(t.context, payload, sign(payload, webhookSecret), other.slug)).status, 400);
});
