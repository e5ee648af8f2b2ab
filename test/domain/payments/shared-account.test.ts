import test from 'ava';
import Stripe from 'stripe';

import { readConfig } from '#src/config.ts';
import { read, transact } from '#src/database/transact.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { upsertCustomer } from '#src/domain/customers/index.ts';
import {
  openBillingPortal,
  readDrift,
  registerWebhookEndpoint,
  replayPayments,
  reportStoreDrift,
  sweepStoreEvents,
} from '#src/domain/payments/index.ts';
import { closeStore, markRemoved } from '#src/domain/tenants/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices, type Services } from '#src/services.ts';
import { createTestClock } from '#test/support/clock.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment, timeouts } from '#test/support/environment.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildPaymentAccount, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { buildPromo } from '#test/support/factories/promotions.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { shopper } from '#test/support/use-stripe.ts';

/*
 * Two stores of one installation, and one of another installation, with the same account at the payment provider: each
 * receives every event of the account and handles only its own.
 */

const clock = createTestClock();
const simulator = await startStripeSimulator({ now: () => clock.now().getTime(), seed: 3 });
const stripe = stripeControl(simulator.url);
const secretKey = `sk_test_${randomText(24)}`;
const at = { host: '127.0.0.1', port: new URL(simulator.url).port, protocol: 'http' } as const;

async function openInstallation() {
  const database = await createTestDatabase();
  const config = readConfig(testEnvironment({ DATABASE_URL: database.url, STRIPE_API_BASE: simulator.url }));
  return { database, services: await createServices(config, 'test', { clock, log: silentLog, timeouts }) };
}

let services: Services;
let elsewhere: Services;
test.before(async () => {
  const installations = [await openInstallation(), await openInstallation()] as const;
  [services, elsewhere] = [installations[0].services, installations[1].services];
  closing = async () => {
    for (const { services, database } of installations) {
      await services.close();
      await database.drop();
    }
  };
});
let closing = async () => {};
test.after.always(async () => {
  await closing();
  await simulator.close();
});

async function openStore(services: Services): Promise<Context> {
  const ctx: Context = { ...services.context(), tenant: await buildTenant(services) };
  await buildPaymentAccount(ctx, { secret_key: secretKey });
  return ctx;
}

/** Sweep what happened, and do what follows from it. */
async function followEvents(ctx: Context, services: Services): Promise<string[]> {
  await sweepStoreEvents(ctx);
  return runJobs(services, { rounds: 60 });
}

/** A line of a checkout that begins a subscription. */
async function subscribed(ctx: Context) {
  const beans = await buildProduct(ctx, {
    purchase_types: ['subscription'],
    subscription_intervals: ['month'],
    variants: [{ ships: false }],
  });
  return {
    product_slug: beans.slug,
    variant_id: beans.variant.id,
    quantity: 1,
    purchase_type: 'subscription' as const,
    subscription_interval: 'month',
  };
}

/** The shopper buys something at a discount and subscribes to something else; returns the subscription. */
async function sell(ctx: Context, services: Services): Promise<string> {
  const [bowl, promo] = [await buildProduct(ctx), await buildPromo(ctx)];
  for (const items of [[{ product_slug: bowl.slug, quantity: 1 }], [await subscribed(ctx)]]) {
    const { order_id: orderId } = await createCheckoutSession(ctx, {
      items,
      promo_code: promo.code,
      customer_email: shopper.email,
    });
    await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  }
  await followEvents(ctx, services);
  const [subscription] = await read<{ id: string }>(
    ctx,
    sql`
    select payment_subscription_id as id from subscriptions where tenant_id = ${ctx.tenant.id}`,
  );
  return subscription?.id ?? '';
}

const eventStates = (ctx: Context) =>
  read<{ state: string; type: string }>(
    ctx,
    sql`
  select distinct state, type from payment_events where tenant_id = ${ctx.tenant.id} order by state, type`,
  );

test.serial(
  'a store ignores the objects of another store with the same provider account, and reports no drift',
  async (t) => {
    const [seller, neighbour, foreign] = [
      await openStore(services),
      await openStore(services),
      await openStore(elsewhere),
    ];
    const subscription = await sell(seller, services);
    clock.pass(hours(1));
    await stripe.renew(subscription, 'paid');
    const { charges } = await stripe.account(secretKey);
    for (const { id } of charges) {
      const dispute = await stripe.openDispute(String(id));
      await stripe.closeDispute(String(dispute['id']), 'won');
    }
    clock.pass(minutes(10));
    await followEvents(seller, services);
    t.deepEqual(
      (await ordersOf(seller)).map(({ status }) => status),
      ['paid', 'paid', 'paid'],
    );

    for (const [ctx, own] of [
      [neighbour, services],
      [foreign, elsewhere],
    ] as const) {
      const outcomes = await followEvents(ctx, own);
      t.deepEqual(
        outcomes.filter((outcome) => !outcome.endsWith('done')),
        [],
      );
      t.deepEqual([...new Set((await eventStates(ctx)).map(({ state }) => state))], ['ignored']);
      clock.pass(hours(3));
      t.deepEqual(await reportStoreDrift(ctx), { unpaidHere: [], unpaidThere: [], unmadeRenewals: [] });
      const replayed = await replayPayments(
        ctx,
        { since: new Date(clock.now().getTime() - days(1)) },
        { dryRun: false },
      );
      t.true(replayed.length > 5);
      t.deepEqual([...new Set(replayed.map(({ result }) => result))], ['ignored']);
      t.deepEqual(await ordersOf(ctx), []);
    }
    t.deepEqual((await readDrift(services.context(), 100)).orders, []);
  },
);

test.serial("a refund in the dashboard is the seller's alone, and of no store once that one is removed", async (t) => {
  const { refunds } = new Stripe(secretKey, at);
  const [seller, neighbour] = [await openStore(services), await openStore(services)];
  const orderIds: string[] = [];
  for (const ctx of [seller, seller, neighbour]) {
    const items = [{ product_slug: (await buildProduct(ctx)).slug, quantity: 1 }];
    const { order_id: orderId } = await createCheckoutSession(ctx, { items, customer_email: shopper.email });
    await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
    orderIds.push(orderId);
  }
  const statuses = async (ctx: Context) => (await ordersOf(ctx)).map(({ status }) => status);
  for (const ctx of [seller, neighbour]) await followEvents(ctx, services);
  const refund = async (orderId = '') => {
    const payment = (await stripe.account(secretKey)).payment_intents.find(
      ({ metadata }) => (metadata as Record<string, string>)['platform_order_id'] === orderId,
    );
    await refunds.create({ payment_intent: String(payment?.id) });
    clock.pass(minutes(10));
    for (const ctx of [seller, neighbour]) await followEvents(ctx, services);
  };
  await refund(orderIds[0]);
  t.deepEqual([await statuses(seller), await statuses(neighbour)], [['refunded', 'paid'], ['paid']]);

  await transact(seller, async (ctx) => (await closeStore(ctx)) && (await markRemoved(ctx, 'ada@desk')));
  await refund(orderIds[1]);
  t.deepEqual(await statuses(neighbour), ['paid']);
  const seen = (await eventStates(neighbour)).filter(({ type }) => type.includes('refund'));
  t.deepEqual([...new Set(seen.map(({ state }) => state))], ['ignored']);
  clock.pass(hours(3));
  t.deepEqual(await reportStoreDrift(neighbour), { unpaidHere: [], unpaidThere: [], unmadeRenewals: [] });
});

test.serial('a shopper of two stores with the same provider account is a customer of each', async (t) => {
  const [left, right] = [await openStore(services), await openStore(services)];
  for (const ctx of [left, right]) await sell(ctx, services);
  const { customers, coupons } = await stripe.account(secretKey);
  const ownerOf = ({ metadata }: Readonly<Record<string, unknown>>) =>
    (metadata as Record<string, string>)['platform_tenant_id'];
  for (const ctx of [left, right]) {
    const [known] = await read<{ id: string }>(
      ctx,
      sql`
      select payment_customer_id as id from customer_payment_ids where tenant_id = ${ctx.tenant.id}`,
    );
    t.deepEqual(
      customers.filter((customer) => ownerOf(customer) === ctx.tenant.id).map(({ id }) => id),
      [known?.id],
    );
  }
  t.true(coupons.every((coupon) => ownerOf(coupon) !== undefined));
});

/** The provider's customers that a store has. */
async function customersOf(ctx: Context): Promise<string[]> {
  const rows = await read<{ id: string }>(
    ctx,
    sql`select payment_customer_id as id from customer_payment_ids where tenant_id = ${ctx.tenant.id}`,
  );
  return rows.map(({ id }) => id);
}

test.serial('who subscribed as a guest is another customer at another store with the same account', async (t) => {
  const [left, right] = [await openStore(services), await openStore(services)];
  const guest = { ...shopper, email: 'guest@shopper.example' };
  const pay = async (ctx: Context, email: string | null) => {
    const items = [await subscribed(ctx)];
    const { order_id: orderId } = await createCheckoutSession(ctx, { items, customer_email: email });
    await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...guest, outcome: 'paid' });
    await followEvents(ctx, services);
  };
  await pay(left, null);
  await pay(right, guest.email);
  await pay(left, guest.email);
  const { customers } = await stripe.account(secretKey);
  const ids = customers.filter(({ email }) => email === guest.email).map(({ id }) => id);
  t.is(ids.length, 2);
  t.deepEqual([...(await customersOf(left)), ...(await customersOf(right))].toSorted(), ids.toSorted());
});

test.serial('a customer of the dashboard is that of the first store with the account that uses it', async (t) => {
  const { customers } = new Stripe(secretKey, at);
  const [left, right] = [await openStore(services), await openStore(services)];
  const email = 'dashboard@shopper.example';
  const { id } = await customers.create({ email });
  for (const ctx of [left, right]) {
    await transact(ctx, (ctx) => upsertCustomer(ctx, { email }));
    await openBillingPortal(ctx, { customer_email: email, return_url: 'https://shop.example.com/' });
  }
  t.deepEqual(await customersOf(left), [id]);
  t.notDeepEqual(await customersOf(right), [id]);
});

test.serial(
  'a store finds out that the account has no room for its endpoint, and registers once there is',
  async (t) => {
    const endpoints = async () => (await stripe.account(secretKey)).webhook_endpoints;
    for (let count = (await endpoints()).length; count < 16; count += 1)
      await registerWebhookEndpoint(await openStore(services));
    const store = await openStore(services);
    const rejected = await t.throwsAsync(registerWebhookEndpoint(store), { instanceOf: DomainError });
    t.regex(rejected.message, /has 16 webhook endpoints, of 16 that it may have: delete one there/);
    const [one] = await endpoints();
    await new Stripe(secretKey, at).webhookEndpoints.del(one?.id ?? '');
    t.true((await registerWebhookEndpoint(store)).isNew);
  },
);
