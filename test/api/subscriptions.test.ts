import anyTest, { type TestFn } from 'ava';

import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type StripeContext, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

test.serial('GET /subscriptions/{id} returns a subscription only to keys of its own store', async (t) => {
  const { api, ctx, services } = t.context;
  const { id, paymentSubscriptionId } = await buildSubscription(ctx, { email: 'ada@example.com' });
  const own = await buildKey(ctx, ['subscriptions:read']);
  const { status, body } = await api.call('GET', `/api/v1/subscriptions/${id}`, { key: own });
  t.is(status, 200);
  t.like(body.subscription, {
    id,
    payment_subscription_id: paymentSubscriptionId,
    status: 'active',
    interval: 'month',
    variant_id: null,
    customer: { id: null, email: 'ada@example.com' },
  });

  const other = await buildKey({ ...ctx, tenant: await buildTenant(services) }, ['subscriptions:write']);
  t.is((await api.call('GET', `/api/v1/subscriptions/${id}`, { key: other })).status, 404);
  t.is((await api.call('POST', `/api/v1/subscriptions/${id}/reactivate`, { key: other })).status, 404);
  t.is((await api.call('POST', `/api/v1/subscriptions/${id}/reactivate`, { key: own })).status, 403);
  t.is((await api.call('GET', `/api/v1/subscriptions/${id}`)).status, 401);
});

test.serial('POST /subscriptions/{id}/manage rejects an ended subscription and an impossible action', async (t) => {
  const { api, ctx, services } = t.context;
  const key = await buildKey(ctx, ['subscriptions:write']);
  const ended = await buildSubscription(ctx, { status: 'canceled' });
  const manage = (id: string, body: object) => api.call('POST', `/api/v1/subscriptions/${id}/manage`, { key, body });
  const refused = await manage(ended.id, { action: 'resume' });
  t.deepEqual([refused.status, refused.body.error], [409, 'subscription_canceled']);
  t.is((await api.call('POST', `/api/v1/subscriptions/${ended.id}/reactivate`, { key })).status, 409);
  t.is((await manage(ended.id, { action: 'change_interval' })).body.errors[0].path, '/subscription_interval');
  t.is((await manage(ended.id, { action: 'dance' })).status, 400);

  const ownerKey = await buildKey(ctx, ['admin.orders:write']);
  const asOwner = (path: string, body?: object) =>
    api.call('POST', `/api/v1/admin/subscriptions/${ended.id}/${path}`, { key: ownerKey, ...(body && { body }) });
  t.is((await asOwner('manage', { action: 'resume' })).body.error, 'subscription_canceled');
  t.is((await asOwner('reactivate')).body.error, 'subscription_canceled');
  const otherKey = await buildKey({ ...ctx, tenant: await buildTenant(services) }, ['admin.orders:write']);
  const elsewhere = await api.call('POST', `/api/v1/admin/subscriptions/${ended.id}/manage`, {
    key: otherKey,
    body: { action: 'pause' },
  });
  t.is(elsewhere.body.error, 'not_found');
});

test.serial(
  'POST /subscriptions/gift-checkout sells months as a gift, and POST /billing-portal finds the customer',
  async (t) => {
    const { api, ctx, tenant } = t.context;
    const key = await buildKey(ctx, ['checkout:write']);
    const beans = await buildProduct(ctx, {
      purchase_types: ['one_time', 'subscription'],
      subscription_intervals: ['month'],
    });
    const gift = {
      product_slug: beans.slug,
      variant_id: beans.variant.id,
      months: 2,
      recipient_email: 'grace@example.com',
    };
    const { status, body } = await api.call('POST', '/api/v1/subscriptions/gift-checkout', { key, body: gift });
    t.is(status, 200);
    t.is(body.order.total_cents, 6800);
    t.is(
      (await api.call('POST', '/api/v1/subscriptions/gift-checkout', { key, body: { ...gift, months: 13 } })).status,
      400,
    );

    const portal = (customer_email: string) =>
      api.call('POST', '/api/v1/billing-portal', {
        tenant: tenant.slug,
        body: { customer_email, return_url: `${tenant.storefrontUrl}/` },
      });
    const unknown = await portal('nobody@example.com');
    t.deepEqual([unknown.status, unknown.body.error], [404, 'customer_not_found']);
  },
);
