import test from 'ava';

import { line, openReceiver, openStoreFixture, paymentSession, subscriptionSession } from './stripe-fixture.ts';

const shopper = {
  email: 'ada@example.com',
  name: 'Ada',
  line1: '1 Main St',
  city: 'Reno',
  state: 'NV',
  postal_code: '89501',
  country: 'US',
};

function submit(url: string, fields: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
}

test('the payment page shows lines, totals and the cancel link, all escaped', async (t) => {
  const { stripe } = await openStoreFixture(t);
  await stripe.coupons.create({ id: 'gift', amount_off: 500, currency: 'usd', name: 'Gift card' });
  const session = await stripe.checkout.sessions.create(
    paymentSession({
      line_items: [line('Mug <b>"big"</b>', 1800, { quantity: 2 })],
      discounts: [{ coupon: 'gift' }],
    }),
  );
  const response = await fetch(session.url ?? '');
  const page = await response.text();
  t.regex(page, /Mug &lt;b&gt;&quot;big&quot;&lt;\/b&gt;/);
  t.regex(page, /Gift card/);
  t.regex(page, /\$31\.00/);
  t.regex(page, /href="https:\/\/shop\.example\/cart"/);
  t.notRegex(page, /<script/);
  t.regex(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
});

test('the payment page shows an error for missing input and keeps the rest', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const session = await stripe.checkout.sessions.create(
    paymentSession({ shipping_address_collection: { allowed_countries: ['US'] } }),
  );
  const missing: [Record<string, string>, RegExp][] = [
    [{ ...shopper, email: 'nobody' }, /Enter your email address/],
    [{ ...shopper, line1: '' }, /Enter the address to ship to/],
    [{ ...shopper, country: 'DE' }, /does not ship to this country/],
    [{ ...shopper, outcome: 'declined' }, /Your card was declined/],
  ];
  for (const [fields, message] of missing) {
    const response = await submit(session.url ?? '', { outcome: 'paid', ...fields });
    t.is(response.status, 200);
    const page = await response.text();
    t.regex(page, message);
    t.regex(page, /value="Reno"/);
  }
  t.is((await stripe.checkout.sessions.retrieve(session.id)).status, 'open');
});

test('the payment page redirects to the store after its webhook was acknowledged', async (t) => {
  const { stripe, control, key } = await openStoreFixture(t);
  const receiver = await openReceiver(t);
  await control.addWebhookEndpoint(key, {
    url: receiver.url,
    secret: receiver.secret,
    events: ['checkout.session.completed'],
  });
  const session = await stripe.checkout.sessions.create(paymentSession());
  const response = await submit(session.url ?? '', { ...shopper, outcome: 'paid' });
  t.is(response.status, 303);
  t.is(response.headers.get('location'), `https://shop.example/thanks?session=${session.id}`);
  t.is(receiver.events.length, 1);

  const again = await (await fetch(`${session.url}`)).text();
  t.regex(again, /This checkout is complete/);
  const twice = await submit(session.url ?? '', { ...shopper, outcome: 'paid' });
  t.regex(await twice.text(), /This checkout is complete/);
  t.is((await control.account(key)).charges.length, 1);
});

test('the payment page of an expired session says so and links back', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const session = await stripe.checkout.sessions.create(paymentSession());
  await stripe.checkout.sessions.expire(session.id);
  const page = await (await fetch(session.url ?? '')).text();
  t.regex(page, /has expired/);
  t.regex(page, /shop\.example\/cart/);
});

test('the payment page starts a subscription with the fixed email', async (t) => {
  const { stripe } = await openStoreFixture(t);
  const session = await stripe.checkout.sessions.create(subscriptionSession({ customer_email: 'ada@example.com' }));
  t.regex(await (await fetch(session.url ?? '')).text(), /Billed every month/);
  const response = await submit(session.url ?? '', { email: 'other@example.com', outcome: 'processing' });
  t.is(response.status, 303);
  const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['customer', 'subscription'] });
  t.like(done, { payment_status: 'unpaid', status: 'complete' });
  t.like(done.customer, { email: 'ada@example.com' });
});

test('an unknown page returns 404 with a message', async (t) => {
  const { url } = await openStoreFixture(t);
  t.is((await fetch(`${url}/pay/cs_test_none`)).status, 404);
  t.is((await fetch(`${url}/portal/bps_none`)).status, 404);
  t.is((await fetch(`${url}/`)).status, 200);
});
