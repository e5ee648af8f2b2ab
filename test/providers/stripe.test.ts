import anyTest, { type TestFn } from 'ava';
import type Stripe from 'stripe';
import { type StripeControl, stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import {
  type PaymentAccount,
  type PaymentGateway,
  type SessionRequest,
  storedFailure,
} from '#src/domain/ports/payment-gateway.ts';
import { issuesOfShipping } from '#src/domain/shipping/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { silentLog } from '#src/lib/log.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createStripePaymentGateway } from '#src/providers/stripe/payment-gateway.ts';
import { couponParamsOf, sessionParamsOf } from '#src/providers/stripe/session-params.ts';
import { invoiceSnapshotOf, subscriptionSnapshotOf } from '#src/providers/stripe/snapshots.ts';
import { awkwardNames } from '#test/support/awkward-names.ts';
import { shippingAccountInput } from '#test/support/factories/shipping.ts';
import { only } from '#test/support/only.ts';

const test = anyTest as TestFn<GatewayContext>;

interface GatewayContext {
  payments: PaymentGateway;
  stripe: StripeControl;
  account: PaymentAccount;
  lines: object[];
}

const simulator = await startStripeSimulator({ seed: 3 });
test.after.always(() => simulator.close());

test.beforeEach((t) => {
  const lines: object[] = [];
  const log = { ...silentLog, info: (fields: object) => void lines.push(fields) };
  const breaker = new CircuitBreaker({ openMs: 60_000, failures: 5 });
  t.context = {
    payments: createStripePaymentGateway({ log, breaker, apiBase: simulator.url }),
    stripe: stripeControl(simulator.url),
    account: { tenantId: `ten_${randomText(8)}`, secretKey: `sk_test_${randomText(24)}` },
    lines,
  };
});

const request = (given: Partial<SessionRequest> = {}): SessionRequest => ({
  tenantId: 'ten_1',
  orderId: `ord_${randomText(12)}`,
  environment: 'test',
  mode: 'payment',
  currency: 'USD',
  lines: [
    {
      productId: 'prod_1',
      variantId: 'var_1',
      name: 'Oak bowl',
      imageUrl: null,
      quantity: 2,
      unitPriceCents: 3800,
      interval: null,
    },
  ],
  discountCents: 0,
  discountName: null,
  shipping: null,
  customerId: null,
  customerEmail: null,
  returnUrl: 'https://shop.example/thanks?id=1',
  cancelUrl: 'https://shop.example/cart',
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
  automaticTax: false,
  ...given,
});

const shipping = {
  countries: ['US', 'CA'],
  options: [
    { name: 'Standard', amountCents: 599 },
    { name: 'Express', amountCents: 1499 },
  ],
};

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ProviderError ? error.failure : String(error);
}

test('an account without Stripe Tax says so, and rejects the sessions that need it', async (t) => {
  const { payments, stripe, account } = t.context;
  t.true(await payments.isTaxActive(account));
  await stripe.setTax(account.secretKey, 'pending');
  t.false(await payments.isTaxActive(account));
  const error = await t.throwsAsync(payments.createSession(account, request({ automaticTax: true }), randomText(20)));
  t.like(error, { failure: 'refused' });
  t.truthy((await payments.createSession(account, request(), randomText(20))).url);
});

test('createSession sends names of products, discounts and shipping as the provider accepts them', async (t) => {
  const { payments, account } = t.context;
  for (const name of [...awkwardNames, ' ', '\u0007\n', 'x'.repeat(300)]) {
    const line = {
      productId: 'prod_1',
      variantId: null,
      name,
      imageUrl: null,
      quantity: 1,
      unitPriceCents: 3800,
      interval: null,
    };
    const session = request({
      lines: [line],
      discountCents: 500,
      discountName: name,
      shipping: { countries: ['US'], options: [{ name, amountCents: 599 }] },
    });
    t.regex(
      (await payments.createSession(account, session, `key ${session.orderId}`)).url,
      /^http/,
      JSON.stringify(name),
    );
    const params = sessionParamsOf(session);
    const names = [
      params.line_items?.[0]?.price_data?.product_data?.name,
      couponParamsOf(session).name ?? 'none',
      params.shipping_options?.[0]?.shipping_rate_data?.display_name,
    ];
    for (const [index, most] of [250, 40, 100].entries())
      t.regex(names[index] ?? '', new RegExp(`^(?! )[^\\p{Cc}]{1,${most}}(?<! )$`, 'u'), JSON.stringify(name));
  }
});

test('createSession is accepted with every country that a store can ship to', async (t) => {
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = alphabet.flatMap((first) => alphabet.map((second) => `${first}${second}`));
  const countries = codes.filter(
    (country) => issuesOfShipping(shippingAccountInput({ countries: [country] })).length === 0,
  );
  t.true(countries.length > 200);
  const { payments, account } = t.context;
  const { url } = await payments.createSession(account, request({ shipping: { countries, options: [] } }), 'key');
  t.truthy(url);
});

test('createSession writes our metadata on the session, its coupon, its payment and every line', async (t) => {
  const { payments, stripe, account } = t.context;
  const sent = request({ shipping, discountCents: 500, discountName: 'WELCOME10' });
  const created = await payments.createSession(account, sent, 'key-1');
  t.regex(created.url, /^http/);
  const session = await payments.fetchSession(account, created.sessionId);
  t.like(session, {
    state: 'open',
    tenantId: 'ten_1',
    orderId: sent.orderId,
    environment: 'test',
    currency: 'USD',
    subtotalCents: 7600,
    discountCents: 500,
    shippingCents: 599,
  });
  await stripe.pay(created.sessionId, {
    outcome: 'paid',
    email: 'ada@example.com',
    name: 'Ada Wells',
    phone: '2125550100',
    shipping_option: 1,
    address: { line1: '40 W 23rd St', city: 'New York', state: 'NY', postal_code: '10010', country: 'US' },
  });
  const paid = await payments.fetchSession(account, created.sessionId);
  t.like(paid, {
    state: 'settled',
    shippingCents: 1499,
    totalCents: 7600 - 500 + 1499,
    email: 'ada@example.com',
    phone: '2125550100',
  });
  t.like(paid.address, {
    name: 'Ada Wells',
    street1: '40 W 23rd St',
    city: 'New York',
    state: 'NY',
    zip: '10010',
    country: 'US',
  });
  const report = await stripe.account(account.secretKey);
  const metadata = { platform_tenant_id: 'ten_1', platform_order_id: sent.orderId, platform_environment: 'test' };
  t.like(report.payment_intents[0], { metadata });
  t.like(report.coupons[0], { metadata });
  t.like(report.products[0], { metadata: { platform_product_id: 'prod_1', platform_variant_id: 'var_1' } });
});

test('createSession returns the same session and coupon for the same request and key', async (t) => {
  const { payments, stripe, account } = t.context;
  const session = request({ discountCents: 500 });
  const first = await payments.createSession(account, session, 'key-2');
  const again = await payments.createSession(account, structuredClone(session), 'key-2');
  t.deepEqual(again, first);
  t.is((await stripe.account(account.secretKey)).sessions.length, 1);
});

test('a call whose response is lost after the effect is retried once, and returns its result', async (t) => {
  const { payments, stripe, account } = t.context;
  await stripe.addFault({
    match: 'POST /v1/checkout/sessions',
    account: account.secretKey,
    kind: 'status',
    status: 503,
    after: true,
  });
  const created = await payments.createSession(account, request(), 'key-3');
  t.is((await stripe.account(account.secretKey)).sessions.length, 1);
  t.like(await payments.fetchSession(account, created.sessionId), { state: 'open' });
});

test('an error stored under the key leaves the outcome unknown, and findSession finds the session', async (t) => {
  const { payments, stripe, account } = t.context;
  const session = request();
  await stripe.addFault({
    match: 'POST /v1/checkout/sessions',
    account: account.secretKey,
    kind: 'status',
    status: 500,
    after: true,
  });
  t.is(await failureOf(payments.createSession(account, session, 'key-4')), 'away');
  t.truthy(await payments.findSession(account, session.orderId, new Date()));
  t.is(await payments.findSession(account, 'ord_unknown', new Date()), undefined);
});

test('two stores of an account that look for the same customer of none at once get one each', async (t) => {
  const { payments, stripe, account } = t.context;
  const email = 'dashboard@shopper.example';
  const response = await fetch(`${simulator.url}/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.secretKey}` },
    body: new URLSearchParams({ email }),
  });
  t.true(response.ok);
  const found = await Promise.all(
    ['ten_left', 'ten_right'].map((tenantId) =>
      payments.findOrCreateCustomer(
        { ...account, tenantId },
        { email, enteredEmail: email, currency: 'USD' },
        `customer:${tenantId}`,
      ),
    ),
  );
  t.is(new Set(found).size, 2);
  const { customers } = await stripe.account(account.secretKey);
  t.deepEqual(found.toSorted(), customers.map(({ id }) => id).toSorted());
});

test('a key first used with other parameters leaves the outcome unknown', async (t) => {
  const { payments, account } = t.context;
  const session = request();
  await payments.createSession(account, session, 'key-worded');
  t.is(
    await failureOf(
      payments.createSession(account, { ...session, returnUrl: 'https://shop.example/other' }, 'key-worded'),
    ),
    'away',
  );
});

test('an API key that is revoked between two attempts leaves the outcome of the first unknown', async (t) => {
  const { payments, stripe, account } = t.context;
  const match = 'POST /v1/checkout/sessions';
  await stripe.addFault({ match, account: account.secretKey, kind: 'reset_after' });
  await stripe.addFault({ match, account: account.secretKey, kind: 'reset_after' });
  await stripe.addFault({ match, account: account.secretKey, kind: 'status', status: 401, times: 5 });
  const session = request();
  t.is(await failureOf(payments.createSession(account, session, 'key-revoked')), 'away');
  t.truthy(await payments.findSession(account, session.orderId, new Date()));
});

test('findSession returns the session with its payment', async (t) => {
  const { payments, stripe, account } = t.context;
  const session = request({
    mode: 'subscription',
    lines: request().lines.map((line) => ({ ...line, interval: 'month' as const })),
  });
  const { sessionId } = await payments.createSession(account, session, 'key-found');
  await stripe.pay(sessionId, { outcome: 'paid', email: 'ada@example.com' });
  t.regex((await payments.findSession(account, session.orderId, new Date()))?.paymentId ?? '', /^pi_/);
});

test('classifyError maps each error of the provider to a failure', async (t) => {
  const { payments, stripe, account } = t.context;
  const fail = (status: number, more = {}) =>
    stripe.addFault({
      match: 'GET /v1/checkout/sessions/*',
      account: account.secretKey,
      kind: 'status',
      status,
      ...more,
    });
  const failure = () => failureOf(payments.fetchSession(account, 'cs_test_1'));
  t.is(await failure(), 'missing');
  await fail(401);
  t.is(await failure(), 'denied');
  await fail(403);
  t.is(await failure(), 'denied');
  await fail(429, { retry_after: 7 });
  const busy = await t.throwsAsync(payments.fetchSession(account, 'cs_test_1'), { instanceOf: ProviderError });
  t.like(busy, { failure: 'busy', retryAfterSeconds: 7 });
  await fail(500, { times: 2 });
  t.is(await failure(), 'away');
  t.is(await failureOf(payments.createSession(account, request({ currency: 'XXX' }), 'key-5')), 'refused');
});

test('checkAccount names the permissions that a key lacks, and rejects one that has none', async (t) => {
  const { payments, stripe, account } = t.context;
  t.deepEqual(await payments.checkAccount(account), []);
  const deny = (match: string, status: number) =>
    stripe.addFault({ match, account: account.secretKey, kind: 'status', status, times: 1 });
  await deny('GET /v1/disputes', 403);
  await deny('GET /v1/checkout/sessions', 403);
  t.deepEqual(await payments.checkAccount(account), ['Checkout Sessions', 'Disputes']);
  await stripe.addFault({ match: 'GET /v1/*', account: account.secretKey, kind: 'status', status: 401, times: 10 });
  t.is(await failureOf(payments.checkAccount(account)), 'denied');
  await stripe.addFault({
    match: 'GET /v1/coupons',
    account: account.secretKey,
    kind: 'status',
    status: 500,
    times: 2,
  });
  t.is(await failureOf(payments.checkAccount(account)), 'away');
});

test('a check of an account to which Stripe does not respond pauses none of its checkouts', async (t) => {
  const { payments, stripe, account } = t.context;
  await stripe.addFault({ match: 'GET /v1/*', account: account.secretKey, kind: 'status', status: 500, times: 20 });
  t.is(await failureOf(payments.checkAccount(account)), 'away');
  t.truthy((await payments.createSession(account, request(), randomText(20))).url);
});

test('errors contain no secret, personal data or message of Stripe', async (t) => {
  const { payments, account } = t.context;
  const error = await t.throwsAsync(
    payments.createSession(account, request({ customerEmail: 'not-an-address' }), 'key-6'),
    { instanceOf: ProviderError },
  );
  t.notRegex(`${error?.message}${JSON.stringify(t.context.lines)}`, /not-an-address|sk_test/);
});

test('each call is logged with its operation, outcome and duration', async (t) => {
  const { payments, account, lines } = t.context;
  await payments.createSession(account, request(), 'key-7');
  t.like(lines[0], { provider: 'stripe', operation: 'sessions.create', status: 'ok' });
});

test('a provider that does not respond opens the circuit of this store only', async (t) => {
  const { payments, stripe, account } = t.context;
  await stripe.addFault({
    match: 'GET /v1/checkout/sessions/*',
    account: account.secretKey,
    kind: 'reset_before',
    times: 100,
  });
  for (let time = 0; time < 3; time += 1) await failureOf(payments.fetchSession(account, 'cs_test_1'));
  const open = await t.throwsAsync(payments.fetchSession(account, 'cs_test_1'), { instanceOf: ProviderError });
  t.like(open, { failure: 'busy', code: 'circuit_open' });
  t.is(
    await failureOf(
      payments.fetchSession({ ...account, tenantId: 'ten_other', secretKey: 'sk_test_other' }, 'cs_test_1'),
    ),
    'missing',
  );
});

test('a call that is not sent, because its deadline has passed, leaves the circuit as it is', async (t) => {
  const { payments, stripe, account } = t.context;
  await stripe.addFault({
    match: 'GET /v1/checkout/sessions/*',
    account: account.secretKey,
    kind: 'reset_before',
    times: 100,
  });
  for (let time = 0; time < 3; time += 1) {
    t.not(await failureOf(payments.fetchSession(account, 'cs_test_1')), 'missing');
    const late = { ...account, endsAt: performance.now() - 1 };
    await t.throwsAsync(payments.fetchSession(late, 'cs_test_1'), { code: 'no_time' });
  }
  await t.throwsAsync(payments.fetchSession(account, 'cs_test_1'), { code: 'circuit_open' });
});

/** A circuit that is open until 1000, and two calls that began before it opened. */
async function openCircuit() {
  const time = { now: 0 };
  const breaker = new CircuitBreaker({ openMs: 1000, failures: 2, now: () => time.now });
  const begin = () => {
    const response = Promise.withResolvers<void>();
    const ended = breaker.run('stripe', 'one', () => response.promise).catch((error: ProviderError) => error.code);
    return {
      ended,
      respond() {
        response.resolve();
        return ended;
      },
      fail() {
        response.reject(new ProviderError('stripe', 'away', 'There is no response.'));
        return ended;
      },
    };
  };
  const [slow, slower] = [begin(), begin()];
  for (let failure = 0; failure < 2; failure += 1) await begin().fail();
  return { time, breaker, begin, slow, slower };
}

test('a call that began before the circuit opened does not end the probe of another', async (t) => {
  const { time, begin, slow } = await openCircuit();
  time.now = 1001;
  const probe = begin();
  await slow.fail();
  time.now = 2002;
  t.is(await begin().ended, 'circuit_open');
  await probe.respond();
  t.is(await begin().respond(), undefined);
});

test('a response to a call that began before the circuit opened closes it', async (t) => {
  const { breaker, begin, slow, slower } = await openCircuit();
  t.is(await begin().ended, 'circuit_open');
  await slow.respond();
  t.deepEqual(breaker.openByProvider(), {});
  t.is(await begin().respond(), undefined);
  await slower.fail();
  t.is(await begin().respond(), undefined);
});

test('a call that began before the circuit opened and gets no response either does not keep it open', async (t) => {
  const { time, begin, slow } = await openCircuit();
  time.now = 800;
  await slow.fail();
  t.is(await begin().ended, 'circuit_open');
  time.now = 1000;
  t.is(await begin().respond(), undefined);
  t.is(await begin().respond(), undefined);
});

test('a failure that the provider stored and returns again opens no circuit', async (t) => {
  const { payments, stripe, account } = t.context;
  await stripe.addFault({ match: 'POST /v1/checkout/sessions', account: account.secretKey, kind: 'status', times: 1 });
  const session = request();
  for (let attempt = 0; attempt < 6; attempt += 1)
    await t.throwsAsync(payments.createSession(account, session, 'stored'), {
      instanceOf: ProviderError,
      code: storedFailure,
    });
  t.regex((await payments.createSession(account, request(), 'another')).url, /^http/);
});

test('fetchSession reports a failed slow payment in subscription mode', async (t) => {
  const { payments, stripe, account } = t.context;
  const lines = [
    {
      productId: 'prod_1',
      variantId: null,
      name: 'Coffee',
      imageUrl: null,
      quantity: 1,
      unitPriceCents: 1700,
      interval: 'quarter' as const,
    },
  ];
  const { sessionId } = await payments.createSession(account, request({ mode: 'subscription', lines }), 'key-8');
  await stripe.pay(sessionId, { outcome: 'processing', email: 'ada@example.com' });
  t.like(await payments.fetchSession(account, sessionId), { state: 'processing' });
  await stripe.settle(sessionId, 'failed');
  t.like(await payments.fetchSession(account, sessionId), { state: 'failed' });
});

for (const [outcome, state] of [
  ['succeeded', 'settled'],
  ['failed', 'failed'],
] as const) {
  test(`fetchSession reports a voucher as on its way until it ${outcome}`, async (t) => {
    const { payments, stripe, account } = t.context;
    const { sessionId } = await payments.createSession(account, request(), `voucher-${outcome}`);
    await stripe.pay(sessionId, { outcome: 'voucher', email: 'ada@example.com' });
    t.like(await payments.fetchSession(account, sessionId), { state: 'processing', email: 'ada@example.com' });
    await stripe.settle(sessionId, outcome);
    t.like(await payments.fetchSession(account, sessionId), { state });
  });
}

test('fetchSession returns what the shopper typed on one line, without what cannot be stored', async (t) => {
  const { payments, stripe, account } = t.context;
  const session = await payments.createSession(account, request({ shipping }), randomText(20));
  const typed = 'Ada\u0000\r\nLovelace\ud800';
  const address = { line1: typed, line2: '\u0000', city: typed, state: typed, postal_code: typed, country: 'US' };
  const shopper = { email: 'ada@shopper.example', name: typed, phone: typed, address };
  await stripe.pay(session.sessionId, { outcome: 'paid', ...shopper });
  const { name, phone, address: paid } = await payments.fetchSession(account, session.sessionId);
  const stored = 'Ada Lovelace\ufffd';
  t.deepEqual([name, phone], [stored, stored]);
  t.deepEqual(paid, {
    name: stored,
    street1: stored,
    street2: null,
    city: stored,
    state: stored,
    zip: stored,
    country: 'US',
  });
});

test('fetchSession returns null for a name, a street and a city of unseen characters', async (t) => {
  const { payments, stripe, account } = t.context;
  const session = await payments.createSession(account, request({ shipping }), randomText(20));
  const address = { line1: '\u200b\ufeff', city: '\u3164', postal_code: '94105', country: 'US' };
  const shopper = { email: 'ada@shopper.example', name: '\u200b\u2060', phone: '4155550100', address };
  await stripe.pay(session.sessionId, { outcome: 'paid', ...shopper });
  const { name, address: paid } = await payments.fetchSession(account, session.sessionId);
  t.is(name, null);
  t.like(paid, { name: null, street1: null, city: null, zip: '94105', country: 'US' });
});

test('expireSession returns expired and completed sessions as they are', async (t) => {
  const { payments, stripe, account } = t.context;
  const gone = await payments.createSession(account, request(), 'key-9');
  t.like(await payments.expireSession(account, gone.sessionId), { state: 'expired' });
  t.like(await payments.expireSession(account, gone.sessionId), { state: 'expired' });
  const done = await payments.createSession(account, request(), 'key-10');
  await stripe.pay(done.sessionId, { outcome: 'paid', email: 'ada@example.com' });
  t.like(await payments.expireSession(account, done.sessionId), { state: 'settled' });
});

test('fetchPayment reads refunds and disputes by every kind of reference', async (t) => {
  const { payments, stripe, account } = t.context;
  const session = request();
  const { sessionId } = await payments.createSession(account, session, 'key-11');
  await stripe.pay(sessionId, { outcome: 'paid', email: 'ada@example.com' });
  const { charges, payment_intents: intents } = await stripe.account(account.secretKey);
  const charge = charges[0]?.id ?? '';
  t.like(await payments.fetchPayment(account, intents[0]?.id ?? ''), {
    orderId: session.orderId,
    amountCents: 7600,
    refundedCents: 0,
    ownRefunds: [],
    failedRefunds: [],
    refunds: only(),
    isDisputed: false,
  });
  const paymentId = intents[0]?.id ?? '';
  for (const [refundId, returnId] of [['rfd_1'], ['rfd_2', 'ret_1']] as const)
    await payments.refundPayment(
      account,
      { paymentId, amountCents: 100, refundId, returnId: returnId ?? null },
      refundId,
    );
  const { refunds } = await stripe.account(account.secretKey);
  const [made] = refunds.filter(({ metadata }) => Object(metadata).platform_refund_id === 'rfd_1');
  await stripe.failRefund(made?.id ?? '');
  t.like(await payments.fetchPayment(account, made?.id ?? ''), {
    refundedCents: 100,
    ownRefunds: only(
      { refundId: 'rfd_2', returnId: 'ret_1', amountCents: 100 },
      { refundId: 'rfd_1', returnId: null, amountCents: 100 },
    ),
    failedRefunds: only({ refundId: 'rfd_1', failure: 'lost_or_stolen_card' }),
    refunds: only({ refundId: 'rfd_2', amountCents: 100 }),
  });
  const dispute = await stripe.openDispute(charge);
  t.like(await payments.fetchPayment(account, dispute.id), { isDisputed: true, lostCents: 0 });
  await stripe.closeDispute(dispute.id, 'lost');
  t.like(await payments.fetchPayment(account, charge), { isDisputed: false, lostCents: 7600 });
});

test('fetchPayment adds up what was lost in the disputes of a payment, one after the other', async (t) => {
  const { payments, stripe, account } = t.context;
  const { sessionId } = await payments.createSession(account, request(), 'key-12');
  await stripe.pay(sessionId, { outcome: 'paid', email: 'ada@example.com' });
  const charge = (await stripe.account(account.secretKey)).charges[0]?.id ?? '';
  let lostCents = 0;
  for (const [amount, outcome] of [
    [1000, 'lost'],
    [3000, 'won'],
    [2000, 'lost'],
    [undefined, 'lost'],
  ] as const) {
    const { id } = await stripe.openDispute(charge, 'fraudulent', amount);
    t.like(await payments.fetchPayment(account, charge), { isDisputed: true, lostCents });
    await stripe.closeDispute(id, outcome);
    if (outcome === 'lost') lostCents += amount ?? 4600;
    t.like(await payments.fetchPayment(account, charge), { isDisputed: false, lostCents });
  }
  t.is(lostCents, 7600);
});

const lineOf = (given: { quantity?: number; amount: number; discounts?: number[]; proration?: boolean }) =>
  ({
    quantity: given.quantity ?? 1,
    amount: given.amount,
    discount_amounts: given.discounts?.map((amount) => ({ amount })) ?? null,
    parent: { subscription_item_details: { subscription_item: 'si_1', proration: given.proration ?? false } },
  }) as unknown as Stripe.InvoiceLineItem;

const invoiceOf = (billing_reason: string, total = 3400, amount_due = Math.max(0, total)) =>
  ({
    id: 'in_1',
    billing_reason,
    total,
    amount_due,
    status: 'paid',
    currency: 'usd',
    parent: null,
    total_taxes: [],
  }) as unknown as Stripe.Invoice;

test('invoiceSnapshotOf leaves out lines that settle a difference, and adds up the discounts of a line', (t) => {
  const lines = [
    lineOf({ amount: -1200, proration: true }),
    lineOf({ amount: 3400, discounts: [300, 40] }),
    lineOf({ amount: 0, quantity: 0 }),
  ];
  t.deepEqual(invoiceSnapshotOf(invoiceOf('subscription_update'), lines).lines, [
    { itemId: 'si_1', quantity: 1, amountCents: 3400, discountCents: 340 },
  ]);
});

test('invoiceSnapshotOf leaves out the lines of an update invoiced at zero, which began a trial', (t) => {
  const free = [lineOf({ amount: 0 })];
  t.deepEqual(invoiceSnapshotOf(invoiceOf('subscription_update', 0), free).lines, []);
  t.is(invoiceSnapshotOf(invoiceOf('subscription_cycle', 0), free).lines.length, 1);
});

test('invoiceSnapshotOf leaves out what the owner added to the invoice, also where a trial began', (t) => {
  const parent = { subscription_item_details: null, invoice_item_details: { proration: false } };
  const added = { ...lineOf({ amount: 500 }), parent } as unknown as Stripe.InvoiceLineItem;
  const { lines, totalCents } = invoiceSnapshotOf(invoiceOf('subscription_cycle', 3900), [
    lineOf({ amount: 3400 }),
    added,
  ]);
  t.deepEqual(
    lines.map(({ amountCents }) => amountCents),
    [3400],
  );
  t.is(totalCents, 3900);
  const trial = [lineOf({ amount: 0 }), added];
  t.deepEqual(invoiceSnapshotOf(invoiceOf('subscription_update', 500), trial).lines, []);
});

test("invoiceSnapshotOf totals what was charged beside the customer's credit or debt", (t) => {
  const totals = [
    invoiceOf('subscription_cycle', -300),
    invoiceOf('subscription_cycle', 3400, 0),
    invoiceOf('subscription_cycle', 3400, 2400),
    invoiceOf('subscription_cycle', 3400, 3440),
  ].map((invoice) => invoiceSnapshotOf(invoice, []).totalCents);
  t.deepEqual(totals, [0, 0, 2400, 3440]);
});

test('invoiceSnapshotOf names the payment that paid, and none where that was outside of the provider', (t) => {
  const paymentOf = (...payments: string[][]) => {
    const data = payments.map(([payment_intent, status]) => ({ status, payment: { payment_intent } }));
    const invoice = { ...invoiceOf('subscription_cycle'), payments: { data } } as unknown as Stripe.Invoice;
    return invoiceSnapshotOf(invoice, []).paymentId;
  };
  t.is(paymentOf(['pi_1', 'open']), 'pi_1');
  t.is(paymentOf(['pi_1', 'canceled'], ['pi_2', 'open'], ['pi_3', 'paid']), 'pi_3');
  t.is(paymentOf(['pi_1', 'canceled']), null);
});

test('invoiceSnapshotOf distinguishes the first period from renewals of any cause', (t) => {
  const causes = ['subscription_create', 'subscription_cycle', 'subscription_update', 'manual', 'something_new'];
  t.deepEqual(
    causes.map((cause) => invoiceSnapshotOf(invoiceOf(cause), []).cause),
    ['first', 'renewal', 'renewal', 'other', 'other'],
  );
});

test('subscriptionSnapshotOf knows every status, and what it does not know as overdue', (t) => {
  const stateOf = (status: string) =>
    subscriptionSnapshotOf(
      { id: 'sub_1', status, metadata: {}, customer: 'cus_1', currency: 'usd', cancel_at: null } as Stripe.Subscription,
      [],
    ).state;
  const statuses = ['active', 'trialing', 'past_due', 'unpaid', 'paused', 'canceled', 'incomplete_expired'];
  t.deepEqual([...statuses, 'incomplete', 'something_new'].map(stateOf), [
    'active',
    'trialing',
    'past_due',
    'past_due',
    'paused',
    'canceled',
    'canceled',
    'starting',
    'past_due',
  ]);
});

test('subscriptionSnapshotOf tells a subscription that ends with its period from one that is charged again', (t) => {
  const isEnding = (ends: boolean, at: number | null, periodEnds: number[]) =>
    subscriptionSnapshotOf(
      {
        ...{ id: 'sub_1', status: 'active', metadata: {}, customer: 'cus_1', currency: 'usd', canceled_at: null },
        ...{ cancel_at_period_end: ends, cancel_at: at },
      } as Stripe.Subscription,
      periodEnds.map((end) => ({ current_period_end: end, price: { product: 'prod_1' } }) as Stripe.SubscriptionItem),
    ).cancelAtPeriodEnd;
  t.false(isEnding(false, null, [200]));
  t.true(isEnding(true, 200, [200]));
  t.true(isEnding(false, 200, [200]), 'in the billing portal');
  t.true(isEnding(false, 100, [200]));
  t.false(isEnding(false, 300, [200]), 'after a further period');
  t.false(isEnding(false, 300, [200, 300]));
});

test('a failure of the connection names its code, by which DNS, the network and the server differ', async (t) => {
  const breaker = new CircuitBreaker({ openMs: 60_000, failures: 5 });
  const payments = createStripePaymentGateway({ log: silentLog, breaker, apiBase: 'http://127.0.0.1:1' });
  const error = await t.throwsAsync(payments.readClock(t.context.account), { instanceOf: ProviderError });
  t.regex(error?.message ?? '', /^Stripe, .+: StripeConnectionError, ECONNREFUSED\.$/);
});
