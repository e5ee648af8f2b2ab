import anyTest, { type ExecutionContext, type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { dieAt } from '#test/support/die-at.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount, holdsOf, ordersOf } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, useStripe } from '#test/support/use-stripe.ts';

/*
 * A checkout that ended with an error, for each kind of checkout and of provider failure: its holds are released as
 * soon as the request can no longer be repeated to continue it, and not before.
 */

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

const subscription = { quantity: 1, purchase_type: 'subscription', subscription_interval: 'month' };

/** What is sent, and how the last piece of what it is for is set aside. */
const checkouts = {
  'with a promotion and a gift card': async ({ ctx }: StripeContext) => {
    const product = await buildProduct(ctx, { variants: [{ stock: 1 }] });
    const [promo, card] = [await buildPromo(ctx), await buildGiftCard(ctx, { balanceCents: 1000 })];
    const items = [{ product_slug: product.slug, quantity: 1 }];
    const body = { items, promo_code: promo.code, gift_card_code: card.code, customer_email: 'ada@example.com' };
    return { path: '/api/v1/checkout/sessions', product, holds: ['gift_card', 'promo', 'stock'], body };
  },
  'of a subscription': async ({ ctx }: StripeContext) => {
    const product = await buildSubscribable(ctx);
    const items = [{ ...subscription, product_slug: product.slug, variant_id: product.variant.id }];
    return {
      path: '/api/v1/checkout/sessions',
      product,
      holds: ['stock'],
      body: { items, customer_email: 'ada@example.com' },
    };
  },
  'of a gift': async ({ ctx }: StripeContext) => {
    const product = await buildSubscribable(ctx);
    const body = {
      product_slug: product.slug,
      variant_id: product.variant.id,
      months: 1,
      recipient_email: 'grace@example.com',
    };
    return { path: '/api/v1/subscriptions/gift-checkout', product, holds: ['stock'], body };
  },
};

const buildSubscribable = (ctx: StripeContext['ctx']) =>
  buildProduct(ctx, {
    purchase_types: ['subscription'],
    subscription_intervals: ['month'],
    variants: [{ stock: 1, ships: false }],
  });

/** How the provider fails a session, for how long, and the orders of the request that fails. */
const failures = {
  // A stored error is returned again for the same order, so the request begins a second one, and no third.
  'returns 500 to two orders': {
    fault: { kind: 'status', status: 500, times: 3 },
    lastsMs: 0,
    begun: ['expired', 'expired'],
  },
  'acts and cuts the connection': { fault: { kind: 'reset_after', times: 4 }, lastsMs: 0, begun: ['pending'] },
  'is away for an hour': {
    fault: { kind: 'status', status: 503, times: 1000 },
    lastsMs: minutes(60),
    begun: ['pending'],
  },
} as const;

/** Let time pass, with all that becomes due in each step of it. */
async function wait({ clock, services }: StripeContext, forMs: number, stepMs = minutes(0.5)): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += stepMs) {
    clock.pass(stepMs);
    await runJobs(services);
  }
}

async function isReleased(
  t: ExecutionContext<StripeContext>,
  { product, holds }: Awaited<ReturnType<typeof begin>>,
): Promise<void> {
  const { ctx } = t.context;
  const [order] = await ordersOf(ctx);
  t.is(order?.status, 'expired');
  t.deepEqual(
    await holdsOf(ctx, order?.id ?? ''),
    holds.map((kind) => `${kind}: released`),
  );
  t.like(await stockOf(ctx, product.variant.id), { stock: 1, held: 0 });
}

const openAtProvider = async ({ stripe, account }: StripeContext) =>
  (await stripe.account(account.secretKey)).sessions.filter(({ status }) => status === 'open').length;

async function begin(context: StripeContext, kind: keyof typeof checkouts, headers: Record<string, string>) {
  const key = await buildKey(context.ctx, ['checkout:write', 'subscriptions:write'], 'secret');
  const checkout = await checkouts[kind](context);
  return { ...checkout, send: () => context.api.call('POST', checkout.path, { key, headers, body: checkout.body }) };
}

const kinds = Object.keys(checkouts) as (keyof typeof checkouts)[];
for (const kind of kinds) {
  for (const [manner, { fault, lastsMs, begun }] of Object.entries(failures)) {
    test.serial(
      `a checkout ${kind} without a key releases what it holds within two minutes while the provider ${manner}`,
      async (t) => {
        const checkout = await begin(t.context, kind, {});
        await t.context.stripe.addFault({ ...fault, match: '* /v1/checkout/sessions*' });
        t.is((await checkout.send()).status, 503);
        t.deepEqual(
          (await ordersOf(t.context.ctx)).map(({ status }) => status),
          begun,
        );

        await wait(t.context, minutes(2));
        await isReleased(t, checkout);
        if (lastsMs === 0) t.is(await openAtProvider(t.context), 0);
        await wait(t.context, lastsMs, minutes(5));
        await t.context.stripe.clearFaults();
        await wait(t.context, minutes(12), minutes(1));
        t.is(await openAtProvider(t.context), 0);
        await isReleased(t, checkout);
      },
    );
  }

  test.serial(
    `a checkout ${kind} with a key can be continued for ten minutes, and then releases what it holds`,
    async (t) => {
      const checkout = await begin(t.context, kind, { 'idempotency-key': 'a click' });
      await t.context.stripe.addFault({ kind: 'reset_after', times: 4, match: 'POST /v1/checkout/sessions' });
      t.is((await checkout.send()).status, 503);
      await wait(t.context, minutes(9.5));
      const [order] = await ordersOf(t.context.ctx);
      t.is(order?.status, 'pending');
      t.deepEqual(
        await holdsOf(t.context.ctx, order?.id ?? ''),
        checkout.holds.map((hold) => `${hold}: held`),
      );

      await wait(t.context, minutes(2));
      await isReleased(t, checkout);
      t.is(await openAtProvider(t.context), 0);
      t.is((await checkout.send()).status, 200, 'the same key sent later is a new order');
      t.deepEqual(
        (await ordersOf(t.context.ctx)).map(({ status }) => status),
        ['expired', 'pending'],
      );
    },
  );
}

test.serial('a checkout repeated with its key within ten minutes keeps its order and session', async (t) => {
  const checkout = await begin(t.context, 'with a promotion and a gift card', { 'idempotency-key': 'a click' });
  await t.context.stripe.addFault({ kind: 'reset_after', times: 4, match: 'POST /v1/checkout/sessions' });
  t.is((await checkout.send()).status, 503);
  await wait(t.context, minutes(9.5));
  const { status, body } = await checkout.send();
  t.is(status, 200);
  await wait(t.context, minutes(20));
  t.like(await ordersOf(t.context.ctx), only({ id: body.order_id, status: 'pending' }));
  t.is(await openAtProvider(t.context), 1);
});

test.serial(
  'a checkout repeated after nine minutes is accepted by the provider for the shortest session',
  async (t) => {
    const { ctx, stripe, account } = t.context;
    await buildPaymentAccount(ctx, {
      secret_key: account.secretKey,
      webhook_secret: account.webhookSecret,
      session_lifetime: '35m',
    });
    const checkout = await begin(t.context, 'of a gift', { 'idempotency-key': 'a click' });
    await stripe.addFault({ kind: 'status', status: 503, times: 2, match: 'POST /v1/checkout/sessions' });
    t.is((await checkout.send()).status, 503);
    await wait(t.context, minutes(9));
    t.is((await checkout.send()).status, 200);
  },
);

for (const after of [false, true]) {
  const order = after ? 'after it created' : 'instead of creating';
  test.serial(
    `a checkout with a key gets a second order when the provider stores a 500 ${order} a session`,
    async (t) => {
      const checkout = await begin(t.context, 'with a promotion and a gift card', { 'idempotency-key': 'a click' });
      await t.context.stripe.addFault({ kind: 'status', status: 500, after, match: 'POST /v1/checkout/sessions' });
      const [{ status, body }, repeated] = [await checkout.send(), await checkout.send()];
      t.is(status, 200);
      t.is(repeated.body.order_id, body.order_id);
      t.like(await ordersOf(t.context.ctx), { length: 2, 0: { status: 'expired' }, 1: { id: body.order_id } });
      t.like(await stockOf(t.context.ctx, checkout.product.variant.id), { stock: 1, held: 1 });
      await wait(t.context, minutes(2));
      t.is(await openAtProvider(t.context), 1, 'the session of the first order is closed');
    },
  );
}

test.serial('a checkout repeated with its key after the provider stored two failures begins a new order', async (t) => {
  const checkout = await begin(t.context, 'of a gift', { 'idempotency-key': 'a click' });
  await t.context.stripe.addFault({ kind: 'status', status: 500, times: 3, match: 'POST /v1/checkout/sessions' });
  t.deepEqual([(await checkout.send()).status, (await checkout.send()).status], [503, 200]);
});

test.serial(
  'a checkout with a key whose coupon failed and whose process then died succeeds when it is repeated',
  async (t) => {
    const { clock, services, stripe } = t.context;
    for (let step = 1, died = true; died; step += 1) {
      const key = { 'idempotency-key': `died at statement ${step}` };
      const checkout = await begin(t.context, 'with a promotion and a gift card', key);
      Object.assign(checkout.body, { customer_email: `${step}@example.com` });
      await stripe.addFault({ kind: 'status', status: 500, match: 'POST /v1/coupons' });
      died = await dieAt(services, step, checkout.send, { from: /insert into payment_sessions/ });
      await stripe.clearFaults();
      // So long a request that died is in progress.
      clock.pass(seconds(15));
      t.is((await checkout.send()).status, 200, `died at statement ${step}`);
    }
  },
);

test.serial(
  'a checkout with a key that another release continues with other parameters gets a second order',
  async (t) => {
    const { ctx, stripe } = t.context;
    const checkout = await begin(t.context, 'with a promotion and a gift card', { 'idempotency-key': 'a click' });
    await stripe.addFault({ kind: 'reset_after', times: 4, match: 'POST /v1/checkout/sessions' });
    t.is((await checkout.send()).status, 503);
    await transact(ctx, ({ tx }) =>
      tx.execute(sql`
      update payment_sessions set request = jsonb_set(request::jsonb, '{returnUrl}', '"https://shop.example/thanks"')
      where tenant_id = ${ctx.tenant.id}`),
    );
    const { status, body } = await checkout.send();
    t.is(status, 200);
    t.like(await ordersOf(ctx), { length: 2, 0: { status: 'expired' }, 1: { id: body.order_id } });
    await wait(t.context, minutes(2));
    t.is(await openAtProvider(t.context), 1, 'the session of the first order is closed');
  },
);
