import anyTest, { type TestFn } from 'ava';

import { readOne } from '#src/domain/database.ts';
import { openAccount } from '#src/domain/payments/index.ts';
import { deriveCode } from '#src/domain/tenants/index.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Answer } from '#test/support/api.ts';
import { shippingAccountInput } from '#test/support/factories/shipping.ts';
import { denial, fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { auditOf, deedsOf, type OwnerContext, placesOf, told, useOwner } from '#test/support/use-owner.ts';

const test = (anyTest as TestFn<OwnerContext>).serial;
const payments = fakePaymentGateway();
const shipping = fakeShippingGateway();
const secondShipping = { checkAccount: async () => { throw denial(); } };
useOwner(anyTest as TestFn<OwnerContext>, { ports: { payments, shipping, secondShipping } });

const stripe = { provider: 'stripe', secret_key: 'sk_test_unmistakable', publishable_key: 'pk_test_1', webhook_secret: 'whsec_unmistakable' };

test('a store without providers says so', async (t) => {
  const { owner } = t.context;
  t.deepEqual((await owner.get('/providers')).body, { providers: { payments: null, shipping: null, second_shipping: null } });
  for (const kind of ['payments', 'shipping', 'second-shipping', 'invented']) {
    t.is(told(await owner.post(`/providers/${kind}/check`)), '404 not_found', kind);
  }
  t.is(told(await owner.post('/payments/webhook-secret/rotations')), '503 payment_provider_not_configured');
});

test('the account at the payment provider is saved, and its secrets are seen nowhere', async (t) => {
  const { ctx, owner } = t.context;
  const { status, body } = await owner.put('/providers/payments', stripe);
  t.is(status, 200);
  t.like(body.provider, { mode: 'direct', publishable_key: 'pk_test_1', has_secret_key: true, has_webhook_secret: true, session_lifetime: '1h' });
  await owner.put('/providers/payments', { ...stripe, secret_key: 'sk_test_second', automatic_tax: true });
  t.is((await openAccount(ctx)).secretKey, 'sk_test_second');

  await owner.put('/providers/payments', { provider: 'stripe', publishable_key: 'pk_test_2', automatic_tax: true });
  t.is((await openAccount(ctx)).secretKey, 'sk_test_second', 'what is left out stays');
  t.false((await owner.put('/providers/payments', { provider: 'stripe', secret_key: null })).body.provider.has_secret_key);

  const log = await auditOf(ctx);
  t.deepEqual(log.map(({ action, subject }) => `${action} ${subject.id}`), [
    'provider.created payments', 'provider.updated payments', 'provider.updated payments', 'provider.updated payments',
  ]);
  t.deepEqual(log[1]?.after.changed, ['automatic_tax', 'secret_key']);
  t.false(/unmistakable|sk_test/.test(JSON.stringify([log, (await owner.get('/providers')).body])));
});

test('a live key is refused in the test environment, and its field is named', async (t) => {
  const { owner } = t.context;
  const refused = await owner.put('/providers/payments', { ...stripe, secret_key: 'sk_live_unmistakable' });
  t.is(told(refused), '400 invalid_request');
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
  t.like(body.provider, { provider: 'shippo', has_webhook_token: true, has_webhook_secret: false, carriers: ['usps', 'ups'], label_cost_cap_cents: null });
  const origin = { ...terms.origin, street1: '1 Secret Lane' };
  const changed = await owner.put('/providers/shipping', { ...terms, origin, label_cost_cap_cents: 2000 });
  t.like(changed.body.provider, { has_webhook_token: true, label_cost_cap_cents: 2000 });
  t.is(changed.body.provider.origin.street1, '1 Secret Lane');
  const log = await auditOf(ctx);
  t.deepEqual(log[1]?.after.changed, ['origin', 'label_cost_cap_cents']);
  t.false(/unmistakable|Clayton|Secret Lane/.test(JSON.stringify(log)));
  t.deepEqual(placesOf(await owner.put('/providers/shipping', { ...terms, parcel: {} })).length, 4);
});

test('accounts are checked, and the answer says what is wrong', async (t) => {
  const { owner } = t.context;
  await owner.put('/providers/payments', stripe);
  await owner.put('/providers/shipping', shippingAccountInput());
  await owner.put('/providers/second-shipping', { provider: 'easypost', api_key: 'EZ1' });
  t.true((await owner.post('/providers/payments/check')).body.ok);
  t.true((await owner.post('/providers/shipping/check')).body.ok);
  t.deepEqual((await owner.post('/providers/second-shipping/check')).body, { ok: false, detail: 'The provider does not accept the key.' });
  payments.misfortunes.checkAccount = [{ failure: 'away' }];
  t.deepEqual((await owner.post('/providers/payments/check')).body, { ok: false, detail: 'The provider did not answer.' });
  await owner.put('/providers/payments', { provider: 'stripe', secret_key: null });
  t.false((await owner.post('/providers/payments/check')).body.ok);
});

test('a signing secret is replaced with the code that the owner was mailed', async (t) => {
  const { ctx, owner, stranger } = t.context;
  await owner.put('/providers/payments', stripe);
  const begun = await owner.post('/payments/webhook-secret/rotations');
  t.is(begun.status, 201);
  const id: string = begun.body.rotation_id;
  const mail = await readOne<{ purpose: string }>(ctx, sql`
    select data ->> 'purpose' as purpose from mails where tenant_id = ${ctx.tenant.id} and subject_id = ${id}`);
  const code = await deriveCode(ctx, mail?.purpose ?? '', id);
  const confirm = (code: string, rotation = id) => owner.post(`/payments/webhook-secret/rotations/${rotation}/confirm`, { code });
  t.is(told(await confirm(code === '000000' ? '000001' : '000000')), '400 invalid_or_expired_token');
  t.deepEqual(placesOf(await confirm('12345')), ['/code']);
  t.is(told(await confirm(code, newId('rot'))), '404 not_found');
  t.is(told(await stranger.post(`/payments/webhook-secret/rotations/${id}/confirm`, { code })), '404 not_found');
  for (const [failure, refusal] of [
    ['away', '503 payment_provider_unavailable'], ['denied', '503 payment_provider_not_configured'], ['refused', '502 payment_provider_error'],
  ] as const) {
    payments.misfortunes.createEndpoint = [{ failure }];
    t.is(told(await confirm(code)), refusal, 'what was confirmed can be confirmed again');
  }
  let busy: Promise<Answer> | undefined;
  payments.meanwhile = async (asked) => {
    if (asked === 'createEndpoint') t.is(told(await (busy ??= confirm(code))), '409 version_conflict');
  };
  const confirmed = await confirm(code);
  payments.meanwhile = undefined;
  t.truthy(busy);
  t.is(confirmed.status, 200);
  t.regex(confirmed.body.secret, /^whsec_/);
  t.deepEqual((await deedsOf(ctx)).slice(1), ['payment_webhook_secret.rotation_requested', 'payment_webhook_secret.rotated']);
  for (let count = 0; count < 4; count += 1) await owner.post('/payments/webhook-secret/rotations');
  const many = await owner.post('/payments/webhook-secret/rotations');
  t.is(told(many), '429 rate_limited');
  t.truthy(many.headers.get('retry-after'));
});
