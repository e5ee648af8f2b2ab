import anyTest, { type TestFn } from 'ava';

import type { Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { read } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { approveReturn, receiveReturn } from '#src/domain/returns/index.ts';
import { markFulfilled } from '#src/domain/shipping/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { request, run } from '#test/domain/shipping/support.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { nameOf } from '#test/support/every-route.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildGiftCard } from '#test/support/factories/promotions.ts';
import { buildReturn, buildReturnableOrder } from '#test/support/factories/returns.ts';
import { buildShippingAccount, shippingAccountInput } from '#test/support/factories/shipping.ts';
import { buildSubscription, snapshotOf } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { auditOf, deedsOf, type OwnerContext, resultOf, useOwner } from '#test/support/use-owner.ts';

/*
 * Every operation of the owner that moves money, buys, creates or sends something is done once, however often it is
 * requested.
 */
const test = (anyTest as TestFn<OwnerContext>).serial;
const payments = fakePaymentGateway();
const shipping = fakeShippingByStore();
const secondShipping = { checkAccount: async () => undefined };
useOwner(anyTest as TestFn<OwnerContext>, { ports: { payments, shipping: shipping.gateway, secondShipping } });

type Test = Parameters<typeof receiverFor>[0] & { context: OwnerContext };

/** An operation of the owner: its route, its body, and how often it has been done. */
interface Deed {
  readonly params?: Record<string, string>;
  readonly body?: object;
  /** How often it was done; awaited after the jobs that it enqueued. */
  count(): Promise<number>;
}

const rows = (ctx: Context, table: Sql) => async () =>
  (await read(ctx, sql`select 1 from ${table} where tenant_id = ${ctx.tenant.id}`)).length;

const deeds = (ctx: Context, deed: string) => async () => (await deedsOf(ctx)).filter((done) => done === deed).length;

async function buildCharged(ctx: Context) {
  const paymentId = `pi_${randomText(12)}`;
  await buildPaymentAccount(ctx);
  payments.setPayment({ paymentId, tenantId: ctx.tenant.id, orderId: '' });
  return paymentId;
}

async function buildSubscribed(ctx: Context) {
  await buildPaymentAccount(ctx);
  const { id, paymentSubscriptionId } = await buildSubscription(ctx);
  payments.subscriptions.set(paymentSubscriptionId, snapshotOf(paymentSubscriptionId));
  return id;
}

async function buildLabel({ context: { ctx, tenant } }: Test, { bought }: { bought: boolean }) {
  await buildShippingAccount(ctx);
  const requested = await request(ctx, bought ? {} : { address: { street1: null } });
  await run(ctx, requested.order.id);
  return { ...requested, provider: shipping.of(tenant.id) };
}

async function buildDelivery(t: Test) {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id);
  await runJobs(services);
  const [delivery] = await read<{ id: string }>(
    ctx,
    sql`select id from webhook_deliveries where tenant_id = ${ctx.tenant.id}`,
  );
  return { endpointId: id, deliveryId: delivery?.id ?? '', count: async () => receiver.requests.length - 1 };
}

const deedOf: Record<string, (t: Test) => Promise<Deed>> = {
  'POST /api/v1/admin/orders/:id/refunds': async ({ context: { ctx } }) => {
    const { id } = await buildPaidOrder(ctx, { paymentId: await buildCharged(ctx) });
    return { params: { id }, body: { amount_cents: 500 }, count: rows(ctx, sql`payment_refunds`) };
  },
  'POST /api/v1/admin/orders/:id/receipt': async ({ context: { ctx } }) => {
    const { id } = await buildPaidOrder(ctx, { email: 'ada@example.com' });
    return { params: { id }, count: rows(ctx, sql`mails`) };
  },
  'POST /api/v1/admin/subscriptions/:id/manage': async ({ context: { ctx } }) => ({
    params: { id: await buildSubscribed(ctx) },
    body: { action: 'pause' },
    count: async () => payments.subscriptionChanges.size,
  }),
  'POST /api/v1/admin/subscriptions/:id/reactivate': async ({ context: { ctx } }) => ({
    params: { id: await buildSubscribed(ctx) },
    count: async () => payments.subscriptionChanges.size,
  }),
  'POST /api/v1/admin/exports': async ({ context: { ctx } }) => ({
    body: { kind: 'products', format: 'csv' },
    count: rows(ctx, sql`bulk_operations`),
  }),
  'POST /api/v1/admin/personal-data-exports': async ({ context: { ctx } }) => ({
    body: { email: 'ada@example.com' },
    count: rows(ctx, sql`bulk_operations`),
  }),
  'POST /api/v1/admin/returns/:id/refund': async ({ context: { ctx } }) => {
    const order = await buildReturnableOrder(ctx, { paymentId: await buildCharged(ctx) });
    const { id } = await buildReturn(ctx, order);
    await approveReturn(ctx, { returnId: id });
    await receiveReturn(ctx, { returnId: id });
    return { params: { id }, body: {}, count: rows(ctx, sql`payment_refunds`) };
  },
  'POST /api/v1/admin/orders/:id/label': async (t) => {
    const { order, provider } = await buildLabel(t, { bought: false });
    await t.context.owner.put(`/orders/${order.id}/shipping-address`, {
      name: 'Ada Wells',
      street1: '40 W 23rd St',
      city: 'New York',
      state: 'NY',
      zip: '10010',
      country: 'US',
    });
    return { params: { id: order.id }, body: {}, count: async () => provider.bought().length };
  },
  'POST /api/v1/admin/labels/:id/retry': async (t) => {
    const { order, labelId, provider } = await buildLabel(t, { bought: false });
    await t.context.owner.put(`/orders/${order.id}/shipping-address`, {
      name: 'Ada Wells',
      street1: '40 W 23rd St',
      city: 'New York',
      state: 'NY',
      zip: '10010',
      country: 'US',
    });
    return { params: { id: labelId }, count: async () => provider.bought().length };
  },
  'POST /api/v1/admin/labels/:id/void': async (t) => {
    const { labelId, provider } = await buildLabel(t, { bought: true });
    return { params: { id: labelId }, count: async () => provider.refunded.length };
  },
  'POST /api/v1/admin/orders/:id/ship': async ({ context: { ctx } }) => {
    const { id } = await buildPaidOrder(ctx, { email: 'ada@example.com' });
    const body = { carrier: 'USPS', tracking_number: randomText(20) };
    return { params: { id }, body, count: rows(ctx, sql`(select * from mails where kind = 'shipped') as mails`) };
  },
  'POST /api/v1/admin/orders/:id/ship/cancel': async ({ context: { ctx } }) => {
    const { id } = await buildPaidOrder(ctx);
    await markFulfilled(ctx, { orderId: id, carrier: 'USPS', trackingNumber: randomText(20) });
    return { params: { id }, count: deeds(ctx, 'order.shipment_canceled') };
  },
  'POST /api/v1/admin/orders/:id/tracking/correct': async ({ context: { ctx } }) => {
    const { id } = await buildPaidOrder(ctx, { email: 'ada@example.com' });
    const [wrong, right] = [randomText(20), randomText(20)];
    await markFulfilled(ctx, { orderId: id, carrier: 'USPS', trackingNumber: wrong });
    const body = { tracking_number: wrong, correction: { carrier: 'USPS', tracking_number: right } };
    return { params: { id }, body, count: rows(ctx, sql`(select * from mails where kind = 'shipped') as mails`) };
  },
  'POST /api/v1/admin/gift-cards': async ({ context: { ctx } }) => ({
    body: { balance_cents: 5000 },
    count: rows(ctx, sql`gift_cards`),
  }),
  'POST /api/v1/admin/gift-cards/:id/disable': async ({ context: { ctx } }) => ({
    params: { id: (await buildGiftCard(ctx)).id },
    count: deeds(ctx, 'gift_card.updated'),
  }),
  'PUT /api/v1/admin/stock': async ({ context: { ctx } }) => {
    const {
      variants: [variant],
    } = await buildProduct(ctx);
    const body = { items: [{ variant_id: variant?.id, change: 3 }] };
    return { body, count: deeds(ctx, 'stock.updated') };
  },
  'POST /api/v1/admin/keys': async ({ context: { ctx } }) => ({
    body: { name: 'erp', kind: 'secret', scopes: ['orders:read'] },
    count: deeds(ctx, 'key.created'),
  }),
  'POST /api/v1/admin/staff': async ({ context: { ctx } }) => ({
    body: { email: newAddress(), name: 'Ada', role: 'support' },
    count: deeds(ctx, 'staff.invited'),
  }),
  'POST /api/v1/admin/integrations': async ({ context: { ctx } }) => ({
    body: { provider: 'bookkeeper', return_url: 'https://shop.example/back' },
    count: rows(ctx, sql`integration_connections`),
  }),
  'POST /api/v1/admin/webhook-endpoints': async (t) => {
    const receiver = await receiverFor(t);
    return { body: { url: receiver.url, events: ['order.*'] }, count: rows(t.context.ctx, sql`webhook_endpoints`) };
  },
  'POST /api/v1/admin/webhook-endpoints/:id/rotate-secret': async (t) => {
    const { id } = await buildEndpoint(t.context.ctx, await receiverFor(t));
    return { params: { id }, count: deeds(t.context.ctx, 'webhook_endpoint.secret_rotated') };
  },
  'POST /api/v1/admin/webhook-deliveries/:id/redeliver': async (t) => {
    const { deliveryId, count } = await buildDelivery(t);
    return { params: { id: deliveryId }, count };
  },
  'POST /api/v1/admin/webhook-endpoints/:id/recover': async (t) => {
    const { endpointId, count } = await buildDelivery(t);
    t.context.clock.pass(1);
    return { params: { id: endpointId }, body: { since: '2020-01-01T00:00:00Z', only: 'all' }, count };
  },
  'POST /api/v1/admin/payments/webhook-secret/rotations': async ({ context: { ctx } }) => {
    await buildPaymentAccount(ctx);
    return { count: rows(ctx, sql`mails`) };
  },
  'POST /api/v1/admin/providers/payments/confirmations': async ({ context: { ctx } }) => {
    await buildPaymentAccount(ctx);
    return { body: { provider: 'stripe', secret_key: 'sk_test_other' }, count: rows(ctx, sql`mails`) };
  },
  'POST /api/v1/admin/providers/shipping/confirmations': async ({ context: { ctx } }) => {
    await buildShippingAccount(ctx);
    return { body: shippingAccountInput(), count: rows(ctx, sql`mails`) };
  },
  'POST /api/v1/admin/providers/second-shipping/confirmations': async ({ context: { ctx, owner } }) => {
    await owner.put('/providers/second-shipping', { provider: 'easypost', api_key: 'EZTK1' });
    return { body: { provider: 'easypost', api_key: 'EZTK2' }, count: rows(ctx, sql`mails`) };
  },
};

/**
 * Of these the owner's side has more than the table above: they are `POST`, and doing them again is doing them once.
 */
const harmless = [
  // Catalog, content and people: a name or a state that is there already.
  'products',
  'content',
  'promo-codes',
  'partners',
  'reviews/:id/approve',
  'reviews/:id/reject',
  'returns/:id/approve',
  'returns/:id/reject',
  'returns/:id/receive',
  'returns/:id/close',
  'orders/:id/attention/dismiss',
  'imports/:id/cancel',
  'exports/:id/cancel',
  // A preview changes nothing, and runs once.
  'bulk-changes',
  'bulk-changes/:id/run',
  'bulk-changes/:id/cancel',
  'bulk-changes/:id/undo',
  // A person has one erasure that is not completed, and it runs once.
  'erasures',
  'erasures/:id/run',
  'keys/:id/revoke',
  'suppressions/release',
  'webhook-endpoints/:id/enable',
  'webhook-endpoints/:id/disable',
  'staff/:id/revoke',
  'sessions/:id/revoke',
  'session/sign-out',
  // A code and a link work once, and their emails are limited.
  'sign-in/request',
  'sign-in/consume',
  'session/verification',
  'session/verification/email',
  'second-factor/totp',
  'second-factor/totp/confirm',
  // A test is sent each time.
  'webhook-endpoints/:id/test',
  // These read: the reply must not be stored.
  'integrations/:id/reveal',
  'providers/:kind/check',
  'payments/webhook-secret/rotations/:id/confirm',
];

const isOwners = ({ path }: Route) => path.startsWith('/api/v1/admin/');
/** A file is not JSON: `imports.test.ts` repeats those. */
const repeatable = routes.filter((route) => isOwners(route) && route.idempotent && route.idempotent !== 'received');

/** A relative change of stock is meant each time, unless it is named, and an export has what has changed since the last. */
const isMeantEachTime = ({ path }: Route) => ['/api/v1/admin/stock', '/api/v1/admin/exports'].includes(path);

test('every operation of the owner that a repetition would do again honours an Idempotency-Key', (t) => {
  t.deepEqual(repeatable.map(nameOf).toSorted(), Object.keys(deedOf).toSorted());
  const others = routes.filter((route) => isOwners(route) && route.method === 'post' && !route.idempotent);
  t.deepEqual(others.map(({ path }) => path.replace('/api/v1/admin/', '')).toSorted(), harmless.toSorted());
});

for (const route of repeatable) {
  const prepare = async (t: Test) => {
    const { ctx, api, services } = t.context;
    const { params = {}, body, count } = (await deedOf[nameOf(route)]?.(t)) ?? { count: async () => 0 };
    const key = await buildKey(ctx, ['admin:write']);
    const { id: keyId } = await services.keys.open(key);
    const address = route.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '');
    const before = await count();
    const send = (name?: string): Promise<ApiResponse> =>
      api.call(route.method.toUpperCase(), address, {
        key,
        ...(body && { body }),
        ...(name && { headers: { 'idempotency-key': name } }),
      });
    const done = async () => {
      await runJobs(services);
      return (await count()) - before;
    };
    const audited = async () =>
      (await auditOf(ctx)).filter(({ actor }) => actor.kind === 'key' && actor.id === keyId).length;
    return { send, done, audited };
  };

  test(`${nameOf(route)} with one Idempotency-Key is done once, replayed, and audited with the key`, async (t) => {
    const { send, done, audited } = await prepare(t);
    const first = await send('one');
    t.true(first.status < 300, resultOf(first));
    t.is(await done(), 1);
    const entries = await audited();
    t.true(entries > 0);
    const second = await send('one');
    t.is(second.status, first.status);
    t.deepEqual(second.body, first.body);
    t.is(second.headers.get('idempotent-replayed'), 'true');
    t.is(await done(), 1);
    t.is(await audited(), entries);
  });

  const names = isMeantEachTime(route) ? ['one'] : ['one', undefined];
  for (const name of names) {
    const keyed = `${name ? 'with one' : 'without an'} Idempotency-Key`;
    test(`${nameOf(route)} twice at once, ${keyed}, is done once`, async (t) => {
      const { send, done } = await prepare(t);
      const responses = await Promise.all([send(name), send(name)]);
      t.true(
        responses.some(({ status }) => status < 300),
        responses.map(resultOf).join(),
      );
      t.is(await done(), 1);
    });
  }

  if (isMeantEachTime(route)) continue;
  test(`${nameOf(route)} clicked again, before and after its jobs have run, is done once`, async (t) => {
    const { send, done } = await prepare(t);
    await t.context.clock.standStill(async () => {
      t.true((await send()).status < 300);
      await send();
      t.is(await done(), 1);
      await send();
      t.is(await done(), 1);
    });
  });
}
