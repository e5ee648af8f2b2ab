import test from 'ava';

import { errorOf, openStoreFixture, paymentSession } from './stripe-fixture.ts';

const createPath = 'POST /v1/checkout/sessions';

test('an idempotency key returns the same session again, marked as a replay', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const create = () => stripe.checkout.sessions.create(paymentSession(), { idempotencyKey: 'chk:o1:1' });
  const [first, second] = [await create(), await create()];
  t.is(second.id, first.id);
  t.is(second.lastResponse.headers['idempotent-replayed'], 'true');
  t.is(second.lastResponse.headers['original-request'], first.lastResponse.requestId);
  t.is((await control.account(key)).sessions.length, 1);
});

test('an idempotency key with other parameters or another path is an error', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const options = { idempotencyKey: 'k' };
  await stripe.checkout.sessions.create(paymentSession(), options);
  const other = await errorOf(stripe.checkout.sessions.create(paymentSession({ client_reference_id: 'x' }), options));
  t.is(other.type, 'StripeIdempotencyError');
  t.is((await errorOf(stripe.customers.create({}, options))).type, 'StripeIdempotencyError');
});

test('two concurrent requests with one idempotency key execute once', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  await control.addFault({ match: createPath, kind: 'delay', ms: 800 });
  const create = () => stripe.checkout.sessions.create(paymentSession(), { idempotencyKey: 'k' });
  const [slow, conflict] = (await Promise.allSettled([create(), create()])).toSorted(({ status }) =>
    status === 'fulfilled' ? -1 : 1,
  );
  t.like(conflict, { reason: { statusCode: 409, code: 'idempotency_key_in_use' } });
  t.like(slow, { value: { id: (await create()).id } });
  t.is((await control.account(key)).sessions.length, 1);
});

test('idempotency keys are per account and expire after a day', async (t) => {
  let now = Date.now();
  const { stripe, client } = await openStoreFixture(t, { now: () => now });
  const create = (from = stripe) => from.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'k' });
  const first = await create();
  t.not((await create(client('sk_test_other'))).id, first.id);
  now += 24 * 3600 * 1000 - 1000;
  t.is((await create()).id, first.id);
  now += 1000;
  t.not((await create()).id, first.id);
});

test('an idempotency key returns its response even when the request would be rejected now', async (t) => {
  let now = Date.now();
  const { stripe } = await openStoreFixture(t, { now: () => now });
  const params = paymentSession({ expires_at: Math.floor(now / 1000) + 3600 });
  const create = () => stripe.checkout.sessions.create(params, { idempotencyKey: 'k' });
  const { id } = await create();
  now += 45 * 60 * 1000;
  t.is((await create()).id, id);
});

test('an invalid request does not use its idempotency key, a failed execution does', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const options = { idempotencyKey: 'k' };
  await errorOf(stripe.checkout.sessions.create(paymentSession({ expires_at: 1 }), options));
  await t.notThrowsAsync(stripe.checkout.sessions.create(paymentSession(), options));

  const failed = { idempotencyKey: 'failed' };
  await errorOf(stripe.refunds.create({ charge: 'ch_none' }, failed));
  const replay = await errorOf(stripe.refunds.create({ charge: 'ch_none' }, failed));
  t.is(replay.headers?.['idempotent-replayed'], 'true');
});

test('a reset_after fault is recovered with the same idempotency key', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  await control.addFault({ match: createPath, kind: 'reset_after', times: 2 });
  const create = () => stripe.checkout.sessions.create(paymentSession(), { idempotencyKey: 'k' });
  // The library itself retries once after a connection reset, whatever its retry setting.
  t.is((await errorOf(create())).type, 'StripeConnectionError');
  t.is((await control.account(key)).sessions.length, 1);
  const healed = await create();
  t.is((await control.account(key)).sessions[0]?.id, healed.id);
  t.is((await control.account(key)).sessions.length, 1);
});

test('a reset_before fault has no effect', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  await control.addFault({ match: createPath, kind: 'reset_before', times: 2 });
  t.is((await errorOf(stripe.checkout.sessions.create(paymentSession()))).type, 'StripeConnectionError');
  t.is((await control.account(key)).sessions.length, 0);
});

test('a 500 is stored under its idempotency key, a 503 is not, and with `after` the true response is', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const create = (idempotencyKey: string) => stripe.checkout.sessions.create(paymentSession(), { idempotencyKey });
  await control.addFault({ match: createPath, kind: 'status', status: 500 });
  t.is((await errorOf(create('a'))).statusCode, 500);
  t.is((await errorOf(create('a'))).headers?.['idempotent-replayed'], 'true');

  await control.addFault({ match: createPath, kind: 'status', status: 503 });
  t.is((await errorOf(create('b'))).statusCode, 503);
  await t.notThrowsAsync(create('b'));

  await control.addFault({ match: createPath, kind: 'status', status: 502, after: true });
  t.is((await errorOf(create('c'))).statusCode, 502);
  t.is((await control.account(key)).sessions.length, 2);
  await create('c');
  t.is((await control.account(key)).sessions.length, 2);
});

test('a 429 fault returns the reason and Retry-After', async (t) => {
  const { stripe, control } = await openStoreFixture(t);
  await control.addFault({
    match: 'GET /v1/checkout/sessions/*',
    kind: 'status',
    status: 429,
    retry_after: 3,
  });
  const { id } = await stripe.checkout.sessions.create(paymentSession());
  const limited = await errorOf(stripe.checkout.sessions.retrieve(id));
  t.is(limited.type, 'StripeRateLimitError');
  t.is(limited.code, 'rate_limit');
  t.like(limited.headers, { 'retry-after': '3', 'stripe-rate-limited-reason': 'global-rate' });
  t.is((await stripe.checkout.sessions.retrieve(id)).id, id);
});

test('a hang fault lets the request time out, with its effect or without', async (t) => {
  const { client, control, key } = await openStoreFixture(t);
  const hasty = client(key, { timeout: 150 });
  await control.addFault({ match: createPath, kind: 'hang' });
  await errorOf(hasty.checkout.sessions.create(paymentSession()));
  t.is((await control.account(key)).sessions.length, 0);
  await control.addFault({ match: createPath, kind: 'hang', after: true });
  await errorOf(hasty.checkout.sessions.create(paymentSession()));
  t.is((await control.account(key)).sessions.length, 1);
});

test('faults apply to one account, by probability, until they are cleared', async (t) => {
  const { stripe, client, control } = await openStoreFixture(t, { seed: 7 });
  await control.addFault({ match: '*', kind: 'status', status: 500, account: 'sk_test_other', times: 5 });
  await t.notThrowsAsync(stripe.balance.retrieve());
  await errorOf(client('sk_test_other').balance.retrieve());
  await control.clearFaults();
  await t.notThrowsAsync(client('sk_test_other').balance.retrieve());

  await control.addFault({ match: 'GET /v1/balance', kind: 'status', status: 503, probability: 0.5 });
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, () =>
      stripe.balance.retrieve().then(
        () => 'ok',
        () => 'failed',
      ),
    ),
  );
  const failed = outcomes.filter((outcome) => outcome === 'failed').length;
  t.true(failed > 10 && failed < 50, `${failed} of 60 failed`);
});

test('the request log has each request with its key, parameters and status', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  await stripe.customers.create({ email: 'ada@example.com', metadata: { a: 'b' } }, { idempotencyKey: 'k' });
  await errorOf(stripe.customers.retrieve('cus_none'));
  const [created, missing] = await control.requests('* /v1/customers*');
  t.like(created, {
    method: 'POST',
    path: '/v1/customers',
    params: { email: 'ada@example.com', metadata: { a: 'b' } },
    idempotency_key: 'k',
    account: key,
    status: 200,
  });
  t.regex(created?.headers['user-agent'] ?? '', /^Stripe\//);
  t.is(missing?.status, 404);
  await control.reset();
  t.deepEqual(await control.requests(), []);
  t.deepEqual((await control.account(key)).customers, []);
});

test('the control API rejects an invalid body with its errors', async (t) => {
  const { url } = await openStoreFixture(t);
  const post = (path: string, body: string) => fetch(`${url}/_control${path}`, { method: 'POST', body });
  for (const [path, body] of [
    ['/faults', '{"match":"*","kind":"explode"}'],
    ['/faults', 'not json'],
    ['/deliveries', '{"drop":2}'],
    ['/sessions/cs_none/pay', '{"outcome":"maybe"}'],
  ] as const) {
    const response = await post(path, body);
    t.true(response.status >= 400 && response.status < 500, `${path} ${body} → ${response.status}`);
  }
  t.is((await post('/nowhere', '')).status, 404);
});
