import anyTest, { type TestFn } from 'ava';

import { read, readOne } from '#src/database/transact.ts';
import { openAccount } from '#src/domain/payments/index.ts';
import { deriveCode } from '#src/domain/tenants/index.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { shippingAccountInput } from '#test/support/factories/shipping.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { denial, fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { auditOf, deedsOf, type OwnerContext, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = (anyTest as TestFn<OwnerContext>).serial;
const payments = fakePaymentGateway();
const shipping = fakeShippingGateway();
const secondShipping = {
  checkAccount: async () => {
    throw denial();
  },
};
useOwner(anyTest as TestFn<OwnerContext>, { ports: { payments, shipping, secondShipping } });

const stripe = {
  provider: 'stripe',
  secret_key: 'sk_test_unmistakable',
  publishable_key: 'pk_test_1',
  webhook_secret: 'whsec_unmistakable',
};

/** What the owner types from the email about this id. */
async function codeFor({ ctx }: OwnerContext, id: string): Promise<string> {
  const mail = await readOne<{ purpose: string }>(
    ctx,
    sql`
    select data ->> 'purpose' as purpose from mails
    where tenant_id = ${ctx.tenant.id} and subject_id = ${id} and recipient = ${ctx.tenant.ownerEmail}`,
  );
  return deriveCode(ctx, mail?.purpose ?? '', id);
}

const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

async function confirmationOf(
  context: OwnerContext,
  kind: string,
  body: object,
): Promise<{ id: string; code: string }> {
  const {
    body: { confirmation_id: id },
  } = await context.owner.post(`/providers/${kind}/confirmations`, body);
  return { id, code: await codeFor(context, id) };
}

const confirmedPut = async (context: OwnerContext, kind: string, body: object) =>
  context.owner.put(`/providers/${kind}`, { ...body, confirmation: await confirmationOf(context, kind, body) });

test('a store without providers says so', async (t) => {
  const { owner } = t.context;
  t.deepEqual((await owner.get('/providers')).body, {
    providers: { payments: null, shipping: null, second_shipping: null },
  });
  for (const kind of ['payments', 'shipping', 'second-shipping', 'invented']) {
    t.is(resultOf(await owner.post(`/providers/${kind}/check`)), '404 not_found', kind);
  }
  t.is(resultOf(await owner.post('/payments/webhook-secret/rotations')), '503 payment_provider_not_configured');
});

test('the account at the payment provider is saved, and its secrets are seen nowhere', async (t) => {
  const { ctx, owner } = t.context;
  const { status, body } = await owner.put('/providers/payments', stripe);
  t.is(status, 200);
  t.like(body.provider, {
    mode: 'direct',
    publishable_key: 'pk_test_1',
    has_secret_key: true,
    has_webhook_secret: true,
    session_lifetime: '1h',
  });
  const { secret_key: _, webhook_secret: __, ...readable } = stripe;
  await owner.put('/providers/payments', { ...readable, automatic_tax: true });
  t.is((await openAccount(ctx)).secretKey, 'sk_test_unmistakable', 'what is left out stays');

  const second = { ...readable, secret_key: 'sk_test_second' };
  t.is((await confirmedPut(t.context, 'payments', second)).status, 200);
  t.is((await openAccount(ctx)).secretKey, 'sk_test_second');
  t.false(
    (await confirmedPut(t.context, 'payments', { provider: 'stripe', secret_key: null })).body.provider.has_secret_key,
  );

  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action, subject }) => `${action} ${subject.id}`),
    [
      'provider.created payments',
      'provider.updated payments',
      'provider.confirmation_requested payments',
      'provider.updated payments',
      'provider.confirmation_requested payments',
      'provider.updated payments',
    ],
  );
  t.deepEqual(log[3]?.after.changed, ['automatic_tax', 'secret_key']);
  t.false(/unmistakable|sk_test/.test(JSON.stringify([log, (await owner.get('/providers')).body])));
});

const parcels = shippingAccountInput({
  api_key: 'shippo_test_1',
  webhook_token: 'token-1',
  webhook_secret: 'secret-1',
});
const easypost = { provider: 'easypost', api_key: 'EZTK1' };

/** Every change that a leaked key could make to what is on file: the account, the change, and what it touches. */
const replacements: [kind: string, first: object, change: object, fields: string[]][] = [
  ['payments', stripe, { webhook_secret: 'whsec_other' }, ['webhook_secret']],
  ['payments', stripe, { secret_key: 'sk_test_other' }, ['secret_key']],
  [
    'payments',
    stripe,
    { secret_key: 'rk_test_other', publishable_key: 'pk_test_other' },
    ['secret_key', 'publishable_key'],
  ],
  ['payments', stripe, { secret_key: null }, ['secret_key']],
  ['payments', stripe, { publishable_key: null }, ['publishable_key']],
  ['payments', stripe, { account_id: 'acct_other' }, ['account_id']],
  [
    'payments',
    stripe,
    { mode: 'connect', secret_key: undefined, publishable_key: undefined },
    ['mode', 'secret_key', 'publishable_key'],
  ],
  ['shipping', parcels, { api_key: 'shippo_test_other' }, ['api_key']],
  ['shipping', parcels, { webhook_token: 'other' }, ['webhook_token']],
  ['shipping', parcels, { webhook_token: null, webhook_secret: null }, ['webhook_token', 'webhook_secret']],
  ['second-shipping', easypost, { api_key: 'EZTKother' }, ['api_key']],
];

test("PUT /providers/payments replaces a connected account only with the owner's one-time password", async (t) => {
  const { owner } = t.context;
  const connect = { provider: 'stripe', mode: 'connect', account_id: 'acct_1' };
  t.is((await owner.put('/providers/payments', connect)).status, 200);
  const direct = { ...stripe, mode: 'direct' };
  const rejected = await owner.put('/providers/payments', direct);
  t.is(resultOf(rejected), '403 confirmation_required');
  t.deepEqual(rejected.body.fields, ['mode', 'account_id']);
  const confirmation = await confirmationOf(t.context, 'payments', direct);
  t.is((await owner.put('/providers/payments', { ...direct, confirmation })).status, 200);
});

for (const [kind, first, change, fields] of replacements) {
  const replaced = `${fields.join(', ')} (${JSON.stringify(change)})`;
  test(`PUT /providers/${kind} replaces ${replaced} with the owner's one-time password alone`, async (t) => {
    const { ctx, owner, otherOwner } = t.context;
    const given = { ...first, ...(kind === 'payments' && { account_id: 'acct_1' }) };
    t.is((await owner.put(`/providers/${kind}`, given)).status, 200, 'the first set-up is free');
    t.is((await owner.put(`/providers/${kind}`, given)).status, 200, 'so is what changes nothing');
    const before = (await owner.get('/providers')).body;

    const body = { ...given, ...change };
    const refused = await owner.put(`/providers/${kind}`, body);
    t.is(resultOf(refused), '403 confirmation_required');
    t.deepEqual(refused.body.fields, fields);
    const confirmation = await confirmationOf(t.context, kind, body);
    const confirmedBy = (given: object, owner = t.context.owner) =>
      owner.put(`/providers/${kind}`, { ...body, confirmation: { ...confirmation, ...given } });
    for (const other of [{ code: wrong(confirmation.code) }, { id: newId('otp') }])
      t.is(resultOf(await confirmedBy(other)), '403 confirmation_required');
    await otherOwner.put(`/providers/${kind}`, given);
    t.is(resultOf(await confirmedBy({}, otherOwner)), '403 confirmation_required');
    t.deepEqual((await owner.get('/providers')).body, before);

    t.is((await confirmedBy({})).status, 200);
    t.is((await confirmedBy({})).status, 200, 'the same again changes nothing');
    const log = await auditOf(ctx);
    t.deepEqual(
      log.map(({ action }) => action),
      [
        'provider.created',
        'provider.confirmation_requested',
        'provider.confirmation_rejected',
        'provider.confirmation_rejected',
        'provider.updated',
      ],
    );
    for (const { after } of log.slice(1, 4)) t.deepEqual(after.fields, fields);
  });
}

test('a code confirms one change: no other values, no other account, and not a second time', async (t) => {
  const { owner } = t.context;
  await owner.put('/providers/payments', stripe);
  const replaced = { ...stripe, webhook_secret: 'whsec_second' };
  const confirmation = await confirmationOf(t.context, 'payments', replaced);
  const put = (body: object) => owner.put('/providers/payments', { ...body, confirmation });
  t.is(resultOf(await put({ ...stripe, webhook_secret: 'whsec_attacker' })), '403 confirmation_required');
  t.is(resultOf(await put({ ...replaced, secret_key: 'sk_test_attacker' })), '403 confirmation_required');
  t.is((await put(replaced)).status, 200);
  await confirmedPut(t.context, 'payments', stripe);
  t.is(resultOf(await put(replaced)), '403 confirmation_required');
});

test('a code is good for ten minutes, for five tries, and until the next one is requested', async (t) => {
  const { ctx, clock, owner } = t.context;
  await owner.put('/providers/payments', stripe);
  await owner.put('/providers/shipping', parcels);
  await owner.put('/providers/second-shipping', easypost);
  const body = { ...stripe, webhook_secret: 'whsec_second' };
  const put = (confirmation: object) => owner.put('/providers/payments', { ...body, confirmation });
  const late = await confirmationOf(t.context, 'payments', body);
  clock.pass(minutes(10));
  t.is(resultOf(await put(late)), '403 confirmation_required');

  const guessed = await confirmationOf(t.context, 'payments', body);
  const guesses = await Promise.all([1, 2, 3, 4, 5].map(() => put({ ...guessed, code: wrong(guessed.code) })));
  for (const guess of guesses) t.is(resultOf(guess), '403 confirmation_required');
  t.is(resultOf(await put(guessed)), '403 confirmation_required');

  clock.pass(seconds(5));
  const replaced = await confirmationOf(t.context, 'payments', body);
  clock.pass(seconds(5));
  const newest = await confirmationOf(t.context, 'payments', body);
  t.is(resultOf(await put(replaced)), '403 confirmation_required');
  t.is((await put(newest)).status, 200);
  await confirmationOf(t.context, 'payments', stripe);
  const tooMany = await Promise.all([
    owner.post('/providers/payments/confirmations', { ...stripe, secret_key: 'sk_test_3' }),
    owner.post('/providers/shipping/confirmations', { ...parcels, api_key: 'shippo_test_3' }),
    owner.post('/providers/second-shipping/confirmations', { ...easypost, api_key: 'EZTK3' }),
  ]);
  for (const response of tooMany) t.is(resultOf(response), '429 rate_limited');
  t.false(JSON.stringify([await read(ctx, sql`select data from mails`), await auditOf(ctx)]).includes('whsec_second'));
});

test('a confirmation is requested for what replaces something, and of what could be saved', async (t) => {
  const { owner } = t.context;
  const request = (body: object) => owner.post('/providers/payments/confirmations', body);
  t.is(resultOf(await request(stripe)), '400 invalid_request', 'there is nothing on file');
  await owner.put('/providers/payments', stripe);
  t.is(resultOf(await request(stripe)), '400 invalid_request', 'it is the same');
  t.deepEqual(placesOf(await request({ ...stripe, secret_key: 'sk_live_1' })), ['/secret_key']);
});

test('PUT /admin/providers rejects a live key in the test environment with the path of its field', async (t) => {
  const { owner } = t.context;
  const refused = await owner.put('/providers/payments', { ...stripe, secret_key: 'sk_live_unmistakable' });
  t.is(resultOf(refused), '400 invalid_request');
  t.deepEqual(placesOf(refused), ['/secret_key']);
  t.is(refused.body.detail, 'This is a live key, and here is the test environment.');
  t.is((await owner.get('/providers')).body.providers.payments, null);
});

test('the terms of shipping are saved, a first account only with its key, and the origin is not logged', async (t) => {
  const { ctx, owner } = t.context;
  const input = shippingAccountInput({ api_key: 'shippo_test_unmistakable' });
  const { api_key: _, webhook_token: __, ...terms } = input;
  t.deepEqual(placesOf(await owner.put('/providers/shipping', terms)), ['/api_key']);
  const { body } = await owner.put('/providers/shipping', input);
  t.like(body.provider, {
    provider: 'shippo',
    has_webhook_token: true,
    has_webhook_secret: false,
    carriers: only('usps', 'ups'),
    label_cost_cap_cents: null,
  });
  const origin = { ...terms.origin, street1: '1 Secret Lane' };
  const changed = await owner.put('/providers/shipping', { ...terms, origin, label_cost_cap_cents: 2000 });
  t.like(changed.body.provider, { has_webhook_token: true, label_cost_cap_cents: 2000 });
  const { version } = body.provider;
  t.is(resultOf(await owner.put('/providers/shipping', { ...terms, version })), '409 version_conflict');
  t.is(changed.body.provider.origin.street1, '1 Secret Lane');
  const log = await auditOf(ctx);
  t.deepEqual(log[1]?.after.changed, ['origin', 'label_cost_cap_cents']);
  t.false(/unmistakable|Clayton|Secret Lane/.test(JSON.stringify(log)));
  t.deepEqual(placesOf(await owner.put('/providers/shipping', { ...terms, parcel: {} })).length, 4);
  t.deepEqual(placesOf(await owner.put('/providers/shipping', { ...terms, countries: ['US', 'UK'] })), [
    '/countries/1',
  ]);
  const small = { ...terms, origin: { ...origin, country: 'us' }, countries: ['us', 'ca'] };
  const saved = (await owner.put('/providers/shipping', small)).body.provider;
  t.deepEqual([saved.origin.country, saved.countries], ['US', ['US', 'CA']]);
});

test('POST /admin/providers/{kind}/check reports what is wrong with an account', async (t) => {
  const { owner } = t.context;
  await owner.put('/providers/payments', stripe);
  await owner.put('/providers/shipping', shippingAccountInput());
  await owner.put('/providers/second-shipping', { provider: 'easypost', api_key: 'EZTK1' });
  t.true((await owner.post('/providers/payments/check')).body.ok);
  t.true((await owner.post('/providers/shipping/check')).body.ok);
  t.deepEqual((await owner.post('/providers/second-shipping/check')).body, {
    ok: false,
    detail: 'The provider does not accept the key.',
  });
  payments.misfortunes.checkAccount = [{ failure: 'away' }];
  t.deepEqual((await owner.post('/providers/payments/check')).body, {
    ok: false,
    detail: 'The provider did not respond.',
  });
  payments.missingPermissions = ['Checkout Sessions', 'Disputes'];
  t.deepEqual((await owner.post('/providers/payments/check')).body, {
    ok: false,
    detail: 'The key lacks permissions: Checkout Sessions, Disputes.',
  });
  payments.missingPermissions = [];
  await confirmedPut(t.context, 'payments', { provider: 'stripe', secret_key: null });
  t.false((await owner.post('/providers/payments/check')).body.ok);
});

test('tax is not switched on in an account that is not set up for it, and the check says so', async (t) => {
  const { owner } = t.context;
  t.teardown(() => (payments.isTaxSetUp = true));
  await owner.put('/providers/payments', stripe);
  const taxed = { ...stripe, secret_key: undefined, automatic_tax: true };
  const check = async () => (await owner.post('/providers/payments/check')).body.ok;
  payments.isTaxSetUp = false;
  t.true(await check(), 'without tax nothing is wrong');
  const rejected = await owner.put('/providers/payments', taxed);
  t.deepEqual(placesOf(rejected), ['/automatic_tax']);
  t.regex(rejected.body.detail, /Stripe Tax is not set up/);

  payments.misfortunes.isTaxActive = [{ failure: 'denied' }];
  t.is((await owner.put('/providers/payments', taxed)).status, 200, 'a restricted key may not be told');
  t.like((await owner.post('/providers/payments/check')).body, { ok: false, detail: rejected.body.detail });
  t.is((await owner.put('/providers/payments', taxed)).status, 200, 'what is saved already stays');
  payments.isTaxSetUp = true;
  t.true(await check());
});

test('a signing secret is replaced with the code that the owner was mailed', async (t) => {
  const { clock, ctx, owner, otherOwner } = t.context;
  await owner.put('/providers/payments', stripe);
  const begun = await owner.post('/payments/webhook-secret/rotations');
  t.is(begun.status, 201);
  const id: string = begun.body.rotation_id;
  const code = await codeFor(t.context, id);
  const confirm = (code: string, rotation = id) =>
    owner.post(`/payments/webhook-secret/rotations/${rotation}/confirm`, { code });
  t.is(resultOf(await confirm(wrong(code))), '400 invalid_or_expired_token');
  t.deepEqual(placesOf(await confirm('12345')), ['/code']);
  t.is(resultOf(await confirm(code, newId('rot'))), '404 not_found');
  t.is(resultOf(await otherOwner.post(`/payments/webhook-secret/rotations/${id}/confirm`, { code })), '404 not_found');
  for (const [failure, expected] of [
    ['away', '503 payment_provider_unavailable'],
    ['denied', '503 payment_provider_not_configured'],
    ['refused', '502 payment_provider_error'],
  ] as const) {
    payments.misfortunes.createEndpoint = [{ failure }];
    t.is(resultOf(await confirm(code)), expected, 'what was confirmed can be confirmed again');
  }
  let busy: Promise<ApiResponse> | undefined;
  payments.meanwhile = async (call) => {
    if (call === 'createEndpoint') t.is(resultOf(await (busy ??= confirm(code))), '409 version_conflict');
  };
  const confirmed = await confirm(code);
  payments.meanwhile = undefined;
  t.truthy(busy);
  t.is(confirmed.status, 200);
  t.regex(confirmed.body.secret, /^whsec_/);
  t.deepEqual((await deedsOf(ctx)).slice(1), [
    'payment_webhook_secret.rotation_requested',
    'payment_webhook_secret.confirmation_rejected',
    'payment_webhook_secret.rotated',
  ]);
  for (let count = 0; count < 5; count += 1) {
    clock.pass(seconds(5));
    await owner.post('/payments/webhook-secret/rotations');
  }
  clock.pass(seconds(5));
  const many = await owner.post('/payments/webhook-secret/rotations');
  t.is(resultOf(many), '429 rate_limited');
  t.truthy(many.headers.get('retry-after'));
});
