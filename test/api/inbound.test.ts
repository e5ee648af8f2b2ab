import { createHmac } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { handleCall } from '#jobs/integrations.ts';
import { processNotification } from '#jobs/labels.ts';
import { reconcilePaymentEvent } from '#jobs/payments.ts';
import { read, transact } from '#src/database/transact.ts';
import { callSecretOf } from '#src/domain/integrations/calls.ts';
import { readConnection } from '#src/domain/integrations/connections.ts';
import { createIntegrationState } from '#src/domain/integrations/index.ts';
import { savePaymentAccount } from '#src/domain/payments/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { verifyEvent } from '#src/providers/stripe/events.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, {
  ports: { payments: { ...fakePaymentGateway(), verifyEvent }, shipping: fakeShippingByStore().gateway },
});

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

test.serial('a signed Stripe webhook is stored and enqueued once, however often it arrives', async (t) => {
  const { ctx } = t.context;
  const { webhookSecret } = await buildPaymentAccount(ctx);
  const payload = eventBody(t.context, 'evt_twice');
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await deliver(t.context, payload, sign(payload, webhookSecret));
    t.deepEqual([status, body], [200, { received: true }]);
  }
  t.deepEqual(await enqueuedJobs(ctx, reconcilePaymentEvent), [{ eventId: 'evt_twice', attempt: 1 }]);
});

test.serial('a Stripe webhook with a wrong, old or missing signature is rejected, and nothing is stored', async (t) => {
  const { ctx } = t.context;
  const { webhookSecret } = await buildPaymentAccount(ctx);
  const payload = eventBody(t.context);
  t.is((await deliver(t.context, payload, sign(payload, 'whsec_another'))).status, 400);
  t.is((await deliver(t.context, payload, sign(payload, webhookSecret, Date.now() - 400_000))).status, 400);
  t.is((await deliver(t.context, payload, '')).status, 400);
  t.is((await deliver(t.context, `${payload} `, sign(payload, webhookSecret))).status, 400);
  t.deepEqual(await enqueuedJobs(ctx, reconcilePaymentEvent), []);
});

test.serial('during a rotation, Stripe webhooks signed with either secret are accepted', async (t) => {
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
    const event = JSON.parse(payload);
    for (const wrong of [
      { id: 'evt_a\0' },
      { id: 'evt_\ud800' },
      { type: 'charge.refunded\0' },
      { created: 1e18 },
      { created: 1e12 },
      { created: 'x' },
      { data: { object: { ...event.data.object, id: 'cs_\0' } } },
    ]) {
      const unreadable = JSON.stringify({ ...event, ...wrong });
      t.is((await deliver(t.context, unreadable, sign(unreadable, webhookSecret))).status, 400, unreadable);
    }
    const large = JSON.stringify({ filling: 'x'.repeat(600 * 1024) });
    t.is((await deliver(t.context, large, sign(large, webhookSecret))).status, 413);
  },
);

test.serial('a Stripe webhook signed with the secret of another store is rejected', async (t) => {
  const { ctx, services } = t.context;
  const { webhookSecret } = await buildPaymentAccount(ctx);
  const other = await buildTenant(services);
  const payload = eventBody(t.context);
  t.is((await deliver(t.context, payload, sign(payload, webhookSecret), other.slug)).status, 400);
});

const trackUpdate = {
  event: 'track_updated',
  test: true,
  data: { tracking_number: '92055', carrier: 'usps', tracking_status: { status: 'TRANSIT' } },
};

const notify = ({ api, tenant }: ApiContext, token: string, body: unknown = trackUpdate) =>
  api.call('POST', `/api/webhooks/shippo/${tenant.slug}?token=${encodeURIComponent(token)}`, { body });

test('a Shippo webhook is stored and its job enqueued before the response', async (t) => {
  const { webhook_token: token } = await buildShippingAccount(t.context.ctx);
  t.like(await notify(t.context, token ?? ''), { status: 202, body: { ok: true, followed: true } });
  t.like(await notify(t.context, token ?? ''), { status: 202 });
  t.is((await enqueuedJobs(t.context.ctx, processNotification)).length, 1);
  t.like(await notify(t.context, token ?? '', { event: 'batch_created', data: {} }), {
    status: 202,
    body: { followed: false },
  });
});

test('a Shippo webhook with a wrong token is rejected', async (t) => {
  const { api, ctx, tenant } = t.context;
  t.is((await notify(t.context, 'anything')).status, 400, 'a store without an account');
  const { webhook_token: token } = await buildShippingAccount(ctx);
  for (const wrong of ['', 'wrong', `${token}x`, (token ?? '').slice(1)])
    t.is((await notify(t.context, wrong)).status, 400, wrong);
  t.is((await api.call('POST', `/api/webhooks/shippo/${tenant.slug}`, { body: trackUpdate })).status, 400);
  t.like(await api.call('POST', `/api/webhooks/shippo/nobody?token=${token}`, { body: trackUpdate }), {
    status: 404,
    body: { error: 'unknown_tenant' },
  });
  t.deepEqual(await enqueuedJobs(ctx, processNotification), []);
});

test('where a store has a signing secret, a Shippo webhook that is not signed with it is rejected', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { webhook_token: token } = await buildShippingAccount(ctx, { webhook_secret: 'a secret of Shippo' });
  const body = JSON.stringify(trackUpdate);
  const now = Math.floor(Date.now() / 1000);
  const sign = (at: number, secret = 'a secret of Shippo') =>
    `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
  const send = async (signature: string | undefined, address = `?token=${token}`) => {
    const headers = { 'content-type': 'application/json', ...(signature && { 'shippo-auth-signature': signature }) };
    return (await api.call('POST', `/api/webhooks/shippo/${tenant.slug}${address}`, { body, headers })).status;
  };
  for (const wrong of [undefined, 't=1', sign(now, 'another'), sign(now - 600), sign(now + 600), `${sign(now)}0`])
    t.is(await send(wrong), 400, wrong);
  t.is(await send(sign(now), '?token=wrong'), 400, 'the token is wanted as well');
  t.deepEqual(await enqueuedJobs(ctx, processNotification), []);
  t.is(await send(sign(now)), 202);
  t.is(await send(sign(now - 200)), 202);
});

test('a store may have a signing secret of Shippo and no token', async (t) => {
  const { api, ctx, tenant } = t.context;
  await buildShippingAccount(ctx, { webhook_secret: 'a secret of Shippo', webhook_token: null });
  const body = JSON.stringify(trackUpdate);
  const at = Math.floor(Date.now() / 1000);
  const signature = `t=${at},v1=${createHmac('sha256', 'a secret of Shippo').update(`${at}.${body}`).digest('hex')}`;
  const send = (headers: Record<string, string>) =>
    api.call('POST', `/api/webhooks/shippo/${tenant.slug}`, {
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  t.is((await send({ 'shippo-auth-signature': signature })).status, 202);
  t.is((await send({})).status, 400);
});

test('a Shippo webhook with an unreadable body is rejected', async (t) => {
  const { webhook_token: token } = await buildShippingAccount(t.context.ctx);
  t.like(await notify(t.context, token ?? '', '{"event":'), { status: 400, body: { error: 'invalid_json' } });
  for (const about of [{ tracking_number: '1\0' }, { object_id: '1\ud800' }]) {
    const unreadable = JSON.stringify({ ...trackUpdate, data: { ...trackUpdate.data, ...about } });
    t.like(await notify(t.context, token ?? '', unreadable), { status: 400, body: { error: 'invalid_request' } });
  }
  t.like(await notify(t.context, token ?? '', { event: 'track_updated' }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  t.like(await notify(t.context, token ?? '', JSON.stringify({ ...trackUpdate, filler: 'x'.repeat(600 * 1024) })), {
    status: 413,
    body: { error: 'payload_too_large' },
  });
});

const callback = '/api/v1/integrations/bookkeeper/callback';
const returnUrl = 'https://owner.example/settings?tab=books';
const wrongState = { status: 400, body: { error: 'invalid_or_expired_token' } };

test('an integration redirects the owner to the return URL and stores the received data encrypted', async (t) => {
  const { api, ctx, tenant } = t.context;
  const {
    state,
    connection: { id: connectionId },
    callbackUrl,
  } = await createIntegrationState(ctx, { provider: 'bookkeeper', returnUrl });
  t.is(new URL(callbackUrl).pathname, callback);
  t.is(await readConnection(ctx, connectionId), undefined);
  // What checks links does not give consent.
  t.is((await api.call('HEAD', `${callback}?state=${state}&code=checked`)).status, 302);
  t.is(await readConnection(ctx, connectionId), undefined);

  const response = await api.call('GET', `${callback}?state=${state}&code=swordfish&scope=a&scope=b`);
  t.is(response.status, 302);
  t.is(response.headers.get('location'), returnUrl);
  t.is(response.headers.get('cache-control'), 'no-store');
  t.like(await readConnection(ctx, connectionId), {
    provider: 'bookkeeper',
    received: { code: 'swordfish', scope: only('a', 'b') },
  });
  const rows = await read<object>(ctx, sql`select * from integration_connections where tenant_id = ${tenant.id}`);
  t.notRegex(JSON.stringify(rows), new RegExp(`swordfish|${state}`));

  t.is((await api.call('GET', `${callback}?state=${state}&code=other`)).status, 302);
  t.like(await readConnection(ctx, connectionId), { received: { code: 'swordfish' } });
});

test('an integration rejects a changed, unknown or expired state, and one of another provider or store', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const other = await buildTenant(services);
  const { state } = await createIntegrationState(ctx, { provider: 'bookkeeper', returnUrl });
  const changed = state.slice(0, -2) + (state.endsWith('AA') ? 'BA' : 'AA');

  t.like(await api.call('GET', `${callback}?state=${changed}`), wrongState);
  t.like(await api.call('GET', `${callback}?state=nonsense`), wrongState);
  t.like(await api.call('GET', `${callback}?state=${state}&state=${state}`), wrongState);
  t.like(await api.call('GET', `/api/v1/integrations/baker/callback?state=${state}`), wrongState);
  t.like(await api.call('GET', `${callback}?state=${other.id.slice(4)}${state.slice(26)}`), wrongState);
  t.like(await api.call('GET', `${callback}?state=${state}`, { tenant: other.slug }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  t.is((await api.call('GET', `${callback}?state=${state}`, { tenant: tenant.slug })).status, 302);
  t.like(await api.call('GET', callback), { status: 400, body: { error: 'missing_tenant' } });
  t.like(await api.call('GET', callback, { tenant: tenant.slug }), {
    status: 400,
    body: { error: 'invalid_request', errors: only({ path: '/state' }) },
  });
  t.like(await api.call('GET', `/api/v1/integrations/A%20B/callback?state=${state}`), {
    status: 404,
    body: { error: 'not_found' },
  });
});

test('an integration rejects a state after thirty minutes', async (t) => {
  const { api, ctx } = t.context;
  const earlier = { ...ctx, clock: { now: () => new Date(ctx.clock.now().getTime() - minutes(31)) } };
  const { state } = await createIntegrationState(earlier, { provider: 'bookkeeper', returnUrl });
  t.like(await api.call('GET', `${callback}?state=${state}`), wrongState);
});

test('only web URLs are accepted as return URL of an integration', async (t) => {
  const { ctx } = t.context;
  const begin = (returnUrl: string, localMode: boolean) =>
    createIntegrationState({ ...ctx, settings: { ...ctx.settings, localMode } }, { provider: 'bookkeeper', returnUrl });
  for (const wrong of ['http://owner.example/', 'javascript:alert(1)', '/settings', '']) {
    await t.throwsAsync(begin(wrong, false), { code: 'invalid_request' });
  }
  await t.notThrowsAsync(begin('http://127.0.0.1:3000/', true));
});

test('a signed call of an integration is stored once and handed to a job', async (t) => {
  const { api, ctx, tenant } = t.context;
  const body = JSON.stringify({ invoice: 7 });
  const now = ctx.clock.now();
  const signature = new Webhook(await callSecretOf(ctx, 'bookkeeper')).sign('msg-1', now, body);
  const headers = {
    'webhook-id': 'msg-1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': `v1,bm90IG91cnM= ${signature}`,
  };
  const byQuery = await api.call('POST', `${callback}?tenant=${tenant.slug}`, { body, headers });
  t.is(byQuery.status, 202);
  t.deepEqual(byQuery.body, { ok: true });
  t.is((await api.call('POST', callback, { tenant: tenant.slug, body, headers })).status, 202);
  t.is(
    (await api.call('POST', `${callback}?tenant=${tenant.slug}`, { tenant: tenant.slug, body, headers })).status,
    202,
  );
  t.is((await enqueuedJobs(ctx, handleCall)).length, 1);
});

test('a call of an integration that is not signed for its store, is too old or is not JSON is not stored', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const other = await buildTenant(services);
  const now = ctx.clock.now();
  const secret = await callSecretOf(ctx, 'bookkeeper');
  const send = (
    options: { secret?: string; at?: Date; signed?: string; body?: string; drop?: string; query?: string } = {},
  ) => {
    const { at = now, body = '{}' } = options;
    const headers: Record<string, string> = {
      'webhook-id': 'msg-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(options.secret ?? secret).sign('msg-1', at, options.signed ?? body),
    };
    if (options.drop) delete headers[options.drop];
    return api.call('POST', callback + (options.query ?? `?tenant=${tenant.slug}`), { body, headers });
  };
  const forged = { status: 400, body: { error: 'invalid_request' } };

  t.like(await send({ secret: await callSecretOf(ctx, 'baker') }), forged);
  t.like(await send({ secret: await callSecretOf({ ...ctx, tenant: other }, 'bookkeeper') }), forged);
  t.like(await send({ signed: '{"a":1}' }), forged);
  t.like(await send({ at: new Date(now.getTime() - minutes(6)) }), forged);
  t.like(await send({ at: new Date(now.getTime() + minutes(6)) }), forged);
  for (const drop of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) t.like(await send({ drop }), forged);
  t.like(await send({ body: 'not json' }), { status: 400, body: { error: 'invalid_json' } });
  t.like(await send({ body: JSON.stringify('x'.repeat(512 * 1024)) }), {
    status: 413,
    body: { error: 'payload_too_large' },
  });
  t.like(await send({ query: '' }), { status: 400, body: { error: 'missing_tenant' } });
  t.like(await send({ query: '?tenant=no-such-store' }), { status: 404, body: { error: 'unknown_tenant' } });
  t.like(await api.call('POST', `${callback}?tenant=${other.slug}`, { tenant: tenant.slug, body: '{}' }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  t.deepEqual(await read(ctx, sql`select id from integration_calls where tenant_id = ${tenant.id}`), []);
});
