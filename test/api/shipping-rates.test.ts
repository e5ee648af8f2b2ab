import anyTest, { type TestFn } from 'ava';

import { minutes } from '#src/lib/duration.ts';
import { buildShippingAccount, origin, shippingAccountInput } from '#test/support/factories/shipping.ts';
import { busy, denial, fakeShippingByStore, rate, silence } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
const shipping = fakeShippingByStore();
// Without Redis, the process caches rates in its memory, by the test's clock; `test/platform/redis.test.ts` tests
// Redis.
useApi(test, { ports: { shipping: shipping.gateway }, environment: { REDIS_URL: 'redis://127.0.0.1:1' } });

const body = { ship_to: { zip: '10010', country: 'US' }, parcel: { weight_oz: 17.2 } };
const request = ({ api, tenant }: ApiContext, changes: object = {}) =>
  api.call('POST', '/api/v1/shipping/rates', { tenant: tenant.slug, body: { ...body, ...changes } });

test('POST /shipping/rates returns the rates, the cheapest first', async (t) => {
  const { ctx, tenant } = t.context;
  await buildShippingAccount(ctx, { carriers: ['usps', 'ups'] });
  const provider = shipping.of(tenant.id);
  provider.rates = [
    rate({ amountCents: 1200, carrier: 'ups', service: 'Ground', serviceCode: 'ups_ground', attributes: ['fastest'] }),
    rate({ amountCents: 842, estimatedDays: null }),
    rate({ amountCents: 100, carrier: 'fedex' }),
  ];
  const { status, body: quote, headers } = await request(t.context);
  t.is(status, 200);
  t.is(headers.get('cache-control'), 'no-store');
  t.deepEqual(
    quote.rates.map(({ amount_cents }: { amount_cents: number }) => amount_cents),
    [842, 1200],
  );
  t.deepEqual(Object.keys(quote), ['rates', 'cheapest_rate_id', 'cached', 'expires_at']);
  t.like(quote.rates[1], {
    carrier: 'ups',
    service: 'Ground',
    service_code: 'ups_ground',
    currency: 'USD',
    estimated_days: 3,
    attributes: only('fastest'),
  });
  t.is(quote.rates[0].estimated_days, null);
  t.is(quote.cheapest_rate_id, quote.rates[0].id);
  t.false(quote.cached);
  t.like(provider.quotes[0], {
    from: { zip: origin.zip },
    to: { zip: '10010', country: 'US' },
    parcel: { weightOz: 2 + 18 },
  });
});

test('equal rate requests within ten minutes call the provider once', async (t) => {
  const { ctx, tenant } = t.context;
  await buildShippingAccount(ctx);
  const provider = shipping.of(tenant.id);
  const responses = await Promise.all(Array.from({ length: 8 }, () => request(t.context)));
  t.is(new Set(responses.map(({ body }) => body.cheapest_rate_id)).size, 1);
  t.is(provider.quotes.length, 1);
  t.true((await request(t.context, { parcel: { weight_oz: 18 } })).body.cached, 'weights are rounded up');
  t.true((await request(t.context, { ship_to: { zip: ' 10010', country: ' us ' } })).body.cached, 'in either case');
  t.true((await request(t.context, { ship_to: { zip: '１００１０', country: 'US' } })).body.cached, 'in full width');
  t.false((await request(t.context, { parcel: { weight_oz: 18.5 } })).body.cached);
  t.false((await request(t.context, { ship_to: { zip: '94110', country: 'US' } })).body.cached);
  t.is(provider.quotes.length, 3);

  await buildShippingAccount(ctx, { ...shippingAccountInput(), origin: { ...origin, zip: '94110' } });
  t.false((await request(t.context)).body.cached, 'another origin is another question');
});

test.serial('after ten minutes the provider is called again', async (t) => {
  const { ctx, clock, tenant } = t.context;
  await buildShippingAccount(ctx);
  await clock.standStill(async () => {
    const now = clock.now().getTime();
    t.is(Date.parse((await request(t.context)).body.expires_at), now + minutes(10));
    clock.pass(minutes(10));
    t.true((await request(t.context)).body.cached);
    clock.pass(1);
    t.false((await request(t.context)).body.cached);
  });
  t.is(shipping.of(tenant.id).quotes.length, 2);
});

test('a provider that is unavailable, busy or not configured is a 502, which is not cached', async (t) => {
  const { ctx, tenant } = t.context;
  t.like(await request(t.context), { status: 502, body: { error: 'shipping_provider_unavailable' } });
  await buildShippingAccount(ctx);
  const provider = shipping.of(tenant.id);
  provider.throws.quote = [silence(), busy(30), denial()];
  for (let time = 0; time < 3; time += 1)
    t.like(await request(t.context), { status: 502, body: { error: 'shipping_provider_unavailable' } });
  t.is((await request(t.context)).status, 200);
});

test('a shopper does not wait longer than four seconds for a provider', async (t) => {
  const { ctx, tenant } = t.context;
  await buildShippingAccount(ctx);
  const events: string[] = [];
  shipping.of(tenant.id).quote = (_account, _request, { signal } = {}) => {
    // Timers of one process end in their order, however busy the machine is.
    for (const afterMs of [3900, 4100]) setTimeout(() => events.push(`${afterMs} ms`), afterMs);
    return new Promise((_, reject) =>
      signal?.addEventListener('abort', () => {
        events.push('the end of patience');
        reject(silence());
      }),
    );
  };
  t.like(await request(t.context), { status: 502, body: { error: 'shipping_provider_unavailable' } });
  await until(() => events.length === 3);
  t.deepEqual(events, ['3900 ms', 'the end of patience', '4100 ms']);
});

test('an empty list of rates is a valid response', async (t) => {
  const { ctx, tenant } = t.context;
  await buildShippingAccount(ctx);
  shipping.of(tenant.id).nextQuote = { rates: [], rejection: { kind: 'other', detail: '' } };
  t.like(await request(t.context), { status: 200, body: { rates: [], cheapest_rate_id: null } });
});

test('POST /shipping/rates quotes a country that has no zips', async (t) => {
  const { ctx, tenant } = t.context;
  await buildShippingAccount(ctx);
  for (const zip of [undefined, null, '', ' '])
    t.is((await request(t.context, { ship_to: { zip, country: 'HK' } })).body.rates.length, 1);
  t.deepEqual(
    shipping.of(tenant.id).quotes.map(({ to }) => to),
    [{ zip: '', country: 'HK' }],
  );
});

test('POST /shipping/rates rejects a parcel over 150 pounds with the true bounds', async (t) => {
  await buildShippingAccount(t.context.ctx);
  t.is((await request(t.context, { parcel: { weight_oz: 2400 } })).status, 200);
  for (const weight_oz of [2400.5, '9007199254740991', 9007199254740991, '1e3']) {
    const { status, body } = await request(t.context, { parcel: { weight_oz } });
    t.is(status, 400);
    t.like(body, {
      error: 'invalid_request',
      detail: '/parcel/weight_oz must be a number more than 0 and at most 2400.',
      errors: only({ path: '/parcel/weight_oz' }),
    });
  }
});

test('POST /shipping/rates rejects an invalid destination or parcel, and says what is wrong', async (t) => {
  await buildShippingAccount(t.context.ctx);
  const weight = '/parcel/weight_oz must be a number more than 0 and at most 2400.';
  for (const [changes, detail] of [
    [{ ship_to: undefined }, 'ship_to is required.'],
    [{ ship_to: { country: 'us' } }, '/ship_to/zip is required for the US.'],
    [{ ship_to: { zip: ' ', country: 'US' } }, '/ship_to/zip is required for the US.'],
    [{ ship_to: { zip: '10010', country: 'usa' } }, '/ship_to/country must be written like US.'],
    [{ ship_to: { zip: '10010', country: 'XX' } }, '/ship_to/country is no country code.'],
    [{ ship_to: { zip: 'SW1A 1AA', country: 'UK' } }, '/ship_to/country is no country code; did you mean GB?'],
    [{ parcel: {} }, '/parcel/weight_oz is required.'],
    [{ parcel: { weight_oz: 0 } }, weight],
    [{ parcel: { weight_oz: 'heavy' } }, weight],
    [{ parcel: { weight_oz: 99_999 } }, weight],
  ] as const) {
    t.like(
      await request(t.context, changes),
      { status: 400, body: { error: 'invalid_request', detail } },
      JSON.stringify(changes),
    );
  }
  const { api } = t.context;
  t.like(await api.call('POST', '/api/v1/shipping/rates', { body }), {
    status: 400,
    body: { error: 'missing_tenant' },
  });
  t.like(await api.call('POST', '/api/v1/shipping/rates', { tenant: 'nobody', body }), {
    status: 404,
    body: { error: 'unknown_tenant' },
  });
});
