import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { savePaymentAccount } from '#src/domain/payments/index.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { bearer, buildSession } from '#test/support/factories/sessions.ts';
import { buildSubscription, snapshotOf } from '#test/support/factories/subscriptions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

/* What callers get when the payment provider fails, on every route besides checkout that calls it. */
const test = (anyTest as TestFn<ApiContext>).serial;
const payments = fakePaymentGateway();
useApi(anyTest as TestFn<ApiContext>, { ports: { payments } });

const resultOf = ({ status, body }: ApiResponse) => (status < 400 ? `${status}` : `${status} ${body.error}`);
const failures = [
  ['away', '503 payment_provider_unavailable'],
  ['busy', '503 payment_provider_unavailable'],
  ['denied', '503 payment_provider_not_configured'],
  ['refused', '502 payment_provider_error'],
] as const;

/** A subscription of Ada's that the provider knows, too. */
async function subscribed({ ctx }: ApiContext, cancelAtPeriodEnd = false) {
  const built = await buildSubscription(ctx, { email: 'ada@example.com' });
  payments.subscriptions.set(built.paymentSubscriptionId, snapshotOf(built.paymentSubscriptionId, cancelAtPeriodEnd));
  return built;
}

test('POST /subscriptions/{id}/manage distinguishes the failures of the provider', async (t) => {
  const { api, ctx, services } = t.context;
  await buildPaymentAccount(ctx);
  const { id } = await subscribed(t.context);
  const key = await buildKey(ctx, ['subscriptions:write']);
  const ownerKey = await buildKey(ctx, ['admin.orders:write']);
  const asOwner = (path: string, body: object) =>
    api.call('POST', `/api/v1/admin/subscriptions/${id}/${path}`, { key: ownerKey, body });
  const headers = bearer((await buildSession(ctx, { email: 'ada@example.com' })).token);
  const operations = {
    manage: () => api.call('POST', `/api/v1/subscriptions/${id}/manage`, { key, body: { action: 'pause' } }),
    reactivate: () => api.call('POST', `/api/v1/subscriptions/${id}/reactivate`, { key }),
    'manage by the owner': () => asOwner('manage', { action: 'pause' }),
    'reactivate by the owner': () => asOwner('reactivate', {}),
    cancel: () => api.call('POST', '/api/v1/customer-portal/cancel', { headers, body: { subscription_id: id } }),
  };
  for (const [name, request] of Object.entries(operations)) {
    for (const [failure, expected] of failures) {
      payments.misfortunes.changeSubscription = [{ failure }];
      t.is(resultOf(await request()), expected, `${name} ${failure}`);
    }
    payments.misfortunes.changeSubscription = [];
    const response = await request();
    t.is(resultOf(response), '200', name);
    t.is(response.body.subscription.id, id, name);
  }
  const otherKey = await buildKey({ ...ctx, tenant: await buildTenant(services) }, ['admin.orders:write']);
  const elsewhere = `/api/v1/admin/subscriptions/${id}/reactivate`;
  t.is(resultOf(await api.call('POST', elsewhere, { key: otherKey })), '404 not_found');
});

test('POST /billing-portal distinguishes the failures of the provider', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { email } = await buildCustomer(ctx);
  const body = { customer_email: email, return_url: `${tenant.storefrontUrl}/account` };
  const open = () => api.call('POST', '/api/v1/billing-portal', { tenant: tenant.slug, body });
  t.is(resultOf(await open()), '503 payment_provider_not_configured', 'without an account');
  await transact(ctx, (ctx) =>
    savePaymentAccount(ctx, { provider: 'stripe', mode: 'connect', account_id: 'acct_1', automatic_tax: false }),
  );
  t.is(resultOf(await open()), '503 payment_provider_not_configured', 'in connect mode there is no key');
  await buildPaymentAccount(ctx);
  for (const [failure, expected] of failures) {
    payments.misfortunes.openBillingPortal = [{ failure }];
    t.is(resultOf(await open()), expected, failure);
  }
  const opened = await open();
  t.is(opened.status, 200);
  t.regex(opened.body.url, /^https:\/\/portal\.example\//);
  t.is(opened.headers.get('cache-control'), 'no-store');
});
