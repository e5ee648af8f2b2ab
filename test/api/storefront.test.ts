import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { savePaymentAccount } from '#src/domain/payments/index.ts';
import { saveShippingAccount } from '#src/domain/shipping/index.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test('GET /storefront returns currency, shipping and features', async (t) => {
  const { api, ctx, tenant } = t.context;
  await transact(ctx, async (ctx) => {
    await savePaymentAccount(ctx, {
      provider: 'stripe',
      mode: 'direct',
      secret_key: 'sk_secret',
      publishable_key: 'pk_shown',
      automatic_tax: false,
    });
    await saveShippingAccount(ctx, {
      provider: 'shippo',
      api_key: 'shippo_secret',
      carriers: [],
      countries: ['US', 'CA'],
      origin: {
        name: 'Cedar',
        street1: '215 Clayton St',
        city: 'San Francisco',
        state: 'CA',
        zip: '94117',
        country: 'US',
        phone: '4155550100',
        email: 'ship@cedar.example',
      },
      parcel: { length_in: 10, width_in: 8, height_in: 4, weight_oz: 2 },
      options: [
        { name: 'Standard', amount_cents: 599, free_over_cents: 7500 },
        { name: 'Express', amount_cents: 1499 },
      ],
    });
  });
  const { status, body, headers } = await api.call('GET', '/api/v1/storefront', { tenant: tenant.slug });
  t.is(status, 200);
  t.truthy(headers.get('etag'));
  t.deepEqual(body.storefront, {
    slug: tenant.slug,
    name: tenant.name,
    currency: 'USD',
    locale: 'en-US',
    publishable_key: 'pk_shown',
    features: { customer_accounts: true, subscriptions: true, gift_cards: true, reviews: true },
    shipping: {
      countries: ['US', 'CA'],
      options: [
        { name: 'Standard', amount_cents: 599, free_over_cents: 7500 },
        { name: 'Express', amount_cents: 1499, free_over_cents: null },
      ],
    },
    theme: {},
    links: {},
    version: 1,
  });
  t.notRegex(JSON.stringify(body), /secret|owner@/);
});

test('GET /storefront works for a store without payments and shipping', async (t) => {
  const { api, services } = t.context;
  const modules = { customer_accounts: false, subscriptions: false, gift_cards: false, reviews: true };
  const bare = await buildTenant(services, { modules, theme: { accent: '#7a5c3e' } });
  const { body } = await api.call('GET', '/api/v1/storefront', { tenant: bare.slug });
  t.like(body.storefront, {
    publishable_key: null,
    shipping: { countries: [], options: [] },
    theme: { accent: '#7a5c3e' },
  });
  t.deepEqual(body.storefront.features, modules);
});

test('GET /storefront requires a store', async (t) => {
  const { api } = t.context;
  t.is((await api.call('GET', '/api/v1/storefront')).body.error, 'missing_tenant');
  t.is((await api.call('GET', '/api/v1/storefront', { tenant: 'no-such' })).body.error, 'unknown_tenant');
});

test.serial('GET /storefront executes one statement, and none while the response is cached', async (t) => {
  const { api, clock, services, tenant } = t.context;
  await api.call('GET', '/api/v1/content/none', { tenant: tenant.slug });
  const request = () => api.call('GET', '/api/v1/storefront', { tenant: tenant.slug });
  // The tenant itself is read once a second.
  const count = async () =>
    (await countStatements(services, request)).statements.filter((text) => !/from tenants/.test(text)).length;
  await clock.standStill(async () => {
    t.is(await count(), 1);
    t.is(await count(), 0);
  });
});
