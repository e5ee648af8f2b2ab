import test from 'ava';

import { openStoreFixture, paymentSession, refused } from './stripe-shop.ts';

test('a live key asks for https, a test key does not', async (t) => {
  const { stripe, client } = await openStoreFixture(t);
  const params = paymentSession({ success_url: 'http://localhost/thanks' });
  t.is((await stripe.checkout.sessions.create(params)).livemode, false);
  t.is((await refused(client('sk_live_shop').checkout.sessions.create(params))).code, 'url_invalid');
});

test('every secret key is an account of its own', async (t) => {
  const { stripe, client } = await openStoreFixture(t);
  const { id } = await stripe.checkout.sessions.create(paymentSession());
  const other = client('rk_test_other');
  t.is((await refused(other.checkout.sessions.retrieve(id))).code, 'resource_missing');
  const [mine, theirs] = [await stripe.accounts.retrieveCurrent(), await other.accounts.retrieveCurrent()];
  t.not(mine.id, theirs.id);
});

test('keys that are no secret keys, or are revoked, are refused', async (t) => {
  const { client } = await openStoreFixture(t);
  const answers: [string, string | undefined][] = [
    ['nonsense', undefined],
    ['pk_test_shop', 'secret_key_required'],
    ['sk_test_revoked', 'api_key_expired'],
  ];
  for (const [key, code] of answers) {
    const refusal = await refused(client(key).accounts.retrieveCurrent());
    t.is(refusal.type, 'StripeAuthenticationError');
    t.is(refusal.code, code);
  }
  const foreign = await refused(client('sk_test_shop', { stripeAccount: 'acct_other' }).balance.retrieve());
  t.is(foreign.type, 'StripePermissionError');
});

test('what the simulator does not serve is refused, and not silently taken', async (t) => {
  const { stripe } = await openStoreFixture(t);
  t.is((await refused(stripe.payouts.list())).statusCode, 404);
  t.is((await refused(stripe.paymentIntents.create({ amount: 100, currency: 'usd' }))).statusCode, 404);
});
