import test from 'ava';
import type Stripe from 'stripe';

import { errorOf, line, openStoreFixture, paymentSession, subscriptionSession } from './stripe-fixture.ts';

type SessionParams = Stripe.Checkout.SessionCreateParams;

const now = Date.UTC(2026, 10, 20);
const seconds = now / 1000;
const beans = (interval: 'month' | 'year', count = 1) =>
  line('Beans', 2400, { recurring: { interval, interval_count: count } });
const freight = (currency = 'usd') => ({
  shipping_rate_data: {
    display_name: 'Post',
    type: 'fixed_amount' as const,
    fixed_amount: { amount: 500, currency },
  },
});
const priced = (price: object) => ({
  line_items: [{ quantity: 1, price_data: { currency: 'usd', ...price } }],
});
const cast = (params: object): Partial<SessionParams> => params;

/** The error in the parameters of a session, the parameter that Stripe names, and its code. */
const cases: readonly [what: string, params: SessionParams, param: string | undefined, code?: string][] = [
  [
    'an unknown parameter',
    paymentSession(cast({ payment_method_types: ['card'] })),
    'payment_method_types',
    'parameter_unknown',
  ],
  [
    'a nested unknown parameter',
    paymentSession(cast(priced({ unit_amount: 100, product_data: { name: 'Mug' }, colour: 'red' }))),
    'line_items[0][price_data][colour]',
    'parameter_unknown',
  ],
  ['the old word for the page', paymentSession(cast({ ui_mode: 'hosted' })), 'ui_mode'],
  ['no mode', cast({ ...paymentSession(), mode: undefined }), 'mode', 'parameter_missing'],
  ['no lines', paymentSession({ line_items: [] }), 'line_items', 'parameter_missing'],
  ['no success_url', cast({ ...paymentSession(), success_url: undefined }), 'success_url', 'parameter_missing'],
  ['an address that is none', paymentSession({ success_url: 'thanks' }), 'success_url', 'url_invalid'],
  ['an empty string', paymentSession({ client_reference_id: '' }), 'client_reference_id', 'parameter_invalid_empty'],
  [
    'a client_reference_id of 201 characters',
    paymentSession({ client_reference_id: 'x'.repeat(201) }),
    'client_reference_id',
  ],
  [
    'an amount that is no integer',
    paymentSession(cast(priced({ unit_amount: 10.5, product_data: { name: 'Mug' } }))),
    'line_items[0][price_data][unit_amount]',
    'parameter_invalid_integer',
  ],
  [
    'a negative amount',
    paymentSession({ line_items: [line('Mug', -1)] }),
    'line_items[0][price_data][unit_amount]',
    'parameter_invalid_integer',
  ],
  [
    'an amount past the greatest',
    paymentSession({ line_items: [line('Mug', 100_000_000)] }),
    'line_items[0][price_data][unit_amount]',
    'amount_too_large',
  ],
  [
    'a currency that is none',
    paymentSession({ line_items: [line('Mug', 100, { currency: 'zzz' })] }),
    'line_items[0][price_data][currency]',
  ],
  [
    'two currencies',
    paymentSession({ line_items: [line('A', 100), line('B', 100, { currency: 'eur' })] }),
    'line_items[1][price_data][currency]',
  ],
  [
    'no product name',
    paymentSession(cast(priced({ unit_amount: 100, product_data: { description: 'Blue' } }))),
    'line_items[0][price_data][product_data][name]',
    'parameter_missing',
  ],
  [
    'a line without a price',
    paymentSession({ line_items: [{ quantity: 1 }] }),
    'line_items[0][price]',
    'parameters_exclusive',
  ],
  [
    'a line without a quantity',
    paymentSession({
      line_items: [{ price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'Mug' } } }],
    }),
    'line_items[0][quantity]',
    'parameter_missing',
  ],
  [
    'none of a thing',
    paymentSession({ line_items: [{ ...line('Mug', 100), quantity: 0 }] }),
    'line_items[0][quantity]',
    'parameter_invalid_integer',
  ],
  ['less than the least charge', paymentSession({ line_items: [line('Mug', 49)] }), 'line_items', 'amount_too_small'],
  ['101 lines', paymentSession({ line_items: Array.from({ length: 101 }, () => line('Mug', 100)) }), 'line_items'],
  [
    '21 recurring lines',
    subscriptionSession({ line_items: Array.from({ length: 21 }, () => beans('month')) }),
    'line_items',
  ],
  [
    '21 one-time lines beside a subscription',
    subscriptionSession({
      line_items: [beans('month'), ...Array.from({ length: 21 }, () => line('Mug', 100))],
    }),
    'line_items',
  ],
  [
    'month and quarter in one cart',
    subscriptionSession({ line_items: [beans('month'), beans('month', 3)] }),
    'line_items',
  ],
  [
    'an interval of four years',
    subscriptionSession({ line_items: [beans('year', 4)] }),
    'line_items[0][price_data][recurring][interval_count]',
  ],
  ['a recurring price in payment mode', paymentSession({ line_items: [beans('month')] }), 'mode'],
  ['no recurring price in subscription mode', subscriptionSession({ line_items: [line('Mug', 100)] }), 'line_items'],
  [
    'subscription_data in payment mode',
    paymentSession({ subscription_data: { metadata: { a: 'b' } } }),
    'subscription_data',
  ],
  [
    'payment_intent_data in subscription mode',
    subscriptionSession({ payment_intent_data: { metadata: { a: 'b' } } }),
    'payment_intent_data',
  ],
  ['shipping options in subscription mode', subscriptionSession({ shipping_options: [freight()] }), 'shipping_options'],
  [
    'six shipping options',
    paymentSession({ shipping_options: Array.from({ length: 6 }, () => freight()) }),
    'shipping_options',
  ],
  [
    'shipping in another currency',
    paymentSession({ shipping_options: [freight('eur')] }),
    'shipping_options[0][shipping_rate_data][fixed_amount][currency]',
  ],
  [
    'customer and customer_email',
    paymentSession({ customer: 'cus_x', customer_email: 'a@b.co' }),
    'customer',
    'parameters_exclusive',
  ],
  ['a customer that is not there', paymentSession({ customer: 'cus_x' }), 'customer', 'resource_missing'],
  ['customer_update without customer', paymentSession({ customer_update: { name: 'auto' } }), 'customer_update'],
  ['customer_creation in subscription mode', subscriptionSession({ customer_creation: 'always' }), 'customer_creation'],
  ['an email that is none', paymentSession({ customer_email: 'nobody' }), 'customer_email', 'email_invalid'],
  ['two discounts', paymentSession({ discounts: [{ coupon: 'a' }, { coupon: 'b' }] }), 'discounts'],
  [
    'a discount and promotion codes',
    paymentSession({ discounts: [{ coupon: 'a' }], allow_promotion_codes: true }),
    'allow_promotion_codes',
    'parameters_exclusive',
  ],
  [
    'a coupon that is not there',
    paymentSession({ discounts: [{ coupon: 'a' }] }),
    'discounts[0][coupon]',
    'resource_missing',
  ],
  ['an expiry in 29 minutes', paymentSession({ expires_at: seconds + 29 * 60 }), 'expires_at'],
  ['an expiry in 25 hours', paymentSession({ expires_at: seconds + 25 * 3600 }), 'expires_at'],
  [
    '51 metadata keys',
    paymentSession({ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])) }),
    'metadata',
  ],
  ['a metadata key of 41 characters', paymentSession({ metadata: { ['k'.repeat(41)]: 'v' } }), 'metadata'],
  ['a metadata value of 501 characters', paymentSession({ metadata: { note: 'v'.repeat(501) } }), 'metadata[note]'],
  [
    'a country that Stripe does not know',
    paymentSession(cast({ shipping_address_collection: { allowed_countries: ['XX'] } })),
    'shipping_address_collection[allowed_countries][0]',
  ],
  ['an expansion that is not there', paymentSession({ expand: ['colour'] }), 'expand'],
];

for (const [what, params, param, code] of cases) {
  test(`POST /v1/checkout/sessions rejects ${what}`, async (t) => {
    const { stripe, control, key } = await openStoreFixture(t, { now: () => now });
    const error = await errorOf(stripe.checkout.sessions.create(params));
    t.is(error.type, 'StripeInvalidRequestError');
    t.is(error.statusCode, 400);
    t.is(error.param, param);
    if (code !== undefined) t.is(error.code, code);
    t.regex(error.requestId ?? '', /^req_/);
    if (param !== 'expand') t.deepEqual((await control.account(key)).sessions, []);
  });
}

test('a live key requires https, a test key does not', async (t) => {
  const { stripe, client } = await openStoreFixture(t);
  const params = paymentSession({ success_url: 'http://localhost/thanks' });
  t.is((await stripe.checkout.sessions.create(params)).livemode, false);
  t.is((await errorOf(client('sk_live_shop').checkout.sessions.create(params))).code, 'url_invalid');
});

test('each secret key is a separate account', async (t) => {
  const { stripe, client } = await openStoreFixture(t);
  const { id } = await stripe.checkout.sessions.create(paymentSession());
  const other = client('rk_test_other');
  t.is((await errorOf(other.checkout.sessions.retrieve(id))).code, 'resource_missing');
  const [mine, others] = [await stripe.accounts.retrieveCurrent(), await other.accounts.retrieveCurrent()];
  t.not(mine.id, others.id);
});

test('keys that are not secret keys, or are revoked, are rejected', async (t) => {
  const { client } = await openStoreFixture(t);
  const keys: [string, string | undefined][] = [
    ['nonsense', undefined],
    ['pk_test_shop', 'secret_key_required'],
    ['sk_test_revoked', 'api_key_expired'],
  ];
  for (const [key, code] of keys) {
    const error = await errorOf(client(key).accounts.retrieveCurrent());
    t.is(error.type, 'StripeAuthenticationError');
    t.is(error.code, code);
  }
  const foreign = await errorOf(client('sk_test_shop', { stripeAccount: 'acct_other' }).balance.retrieve());
  t.is(foreign.type, 'StripePermissionError');
});

test('operations that the simulator does not have are rejected with 404', async (t) => {
  const { stripe } = await openStoreFixture(t);
  t.is((await errorOf(stripe.payouts.list())).statusCode, 404);
  t.is((await errorOf(stripe.paymentIntents.create({ amount: 100, currency: 'usd' }))).statusCode, 404);
});
