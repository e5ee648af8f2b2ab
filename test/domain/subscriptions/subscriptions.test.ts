import anyTest, { type TestFn } from 'ava';
import { purchaseLabel } from '#jobs/labels.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { correctEmail, removeStore } from '#src/domain/backoffice/index.ts';
import { exportKindOf } from '#src/domain/bulk/index.ts';
import { removeProduct } from '#src/domain/catalog/index.ts';
import { createCheckoutSession, createGiftCheckout } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { findCustomerByEmail } from '#src/domain/customers/index.ts';
import { readManagedOrder, readOrder } from '#src/domain/orders/index.ts';
import { trackReferral } from '#src/domain/partners/index.ts';
import {
  applySnapshot,
  manageSubscription,
  openAccount,
  openBillingPortal,
  reactivateSubscription,
  requestRefund,
} from '#src/domain/payments/index.ts';
import { fetchSnapshot, fetchSubscription } from '#src/domain/payments/snapshots/fetch-snapshot.ts';
import type { PaymentGateway } from '#src/domain/ports/payment-gateway.ts';
import { readSubscription } from '#src/domain/subscriptions/index.ts';
import { closeStore } from '#src/domain/tenants/index.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { behind } from '#test/support/clock.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { type BuiltProduct, buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { attributionOf, buildPartner } from '#test/support/factories/partners.ts';
import { buildPaymentAccount, orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildSubscription, subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { only } from '#test/support/only.ts';
import { seededRandom } from '#test/support/random.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { auditOf, placesOf, resultOf } from '#test/support/use-owner.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

const coffee = {
  name: 'Coffee',
  purchase_types: ['one_time' as const, 'subscription' as const],
  subscription_intervals: ['month' as const, 'quarter' as const],
};

const line = (product: BuiltProduct, interval = 'month') => ({
  product_slug: product.slug,
  variant_id: product.variant.id,
  quantity: 1,
  purchase_type: 'subscription' as const,
  subscription_interval: interval,
});

async function settle({ services, stripe }: StripeContext): Promise<void> {
  if (!(await stripe.idle())) throw new Error('Webhooks are stuck.');
  await runJobs(services);
}

/** Change an object as the owner does in the provider's dashboard. */
async function changeAtStripe(
  { account, services }: StripeContext,
  path: string,
  params: Record<string, string>,
): Promise<void> {
  const { ok, status } = await fetch(`${services.config.stripeApiBase ?? ''}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.secretKey}` },
    body: new URLSearchParams(params),
  });
  if (!ok) throw new Error(`Stripe returned ${status} for ${path}.`);
}

/** The subscription to a product, with the id of its item at the provider. */
async function itemOf(ctx: Context, productId: string): Promise<{ id: string; paymentItemId: string }> {
  const found = await readOne<{ id: string; paymentItemId: string }>(
    ctx,
    sql`
    select id, payment_item_id as "paymentItemId" from subscriptions
    where tenant_id = ${ctx.tenant.id} and product_id = ${productId}`,
  );
  if (!found) throw new Error('There is no such subscription.');
  return found;
}

/** The id of an item's price at the provider. */
async function priceAtStripe({ account, stripe }: StripeContext, id: string, itemId: string): Promise<string> {
  const { subscriptions } = await stripe.account(account.secretKey);
  const subscription: any = subscriptions.find((each) => each.id === id);
  return subscription.items.data.find((item: any) => item.id === itemId).price.id;
}

/** A paid monthly subscription to coffee with a bowl besides; ids as the provider has them. */
async function subscribe(context: StripeContext, email = 'ada@example.com') {
  const { ctx, stripe } = context;
  await buildShippingAccount(ctx);
  const beans = await buildProduct(ctx, coffee);
  const bowl = await buildProduct(ctx);
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [line(beans), { product_slug: bowl.slug, quantity: 1 }],
    customer_email: email,
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(context);
  const subscription = (await subscriptionsOf(ctx)).find((each) => each.productId === beans.id);
  if (!subscription) throw new Error('There is no subscription.');
  return { orderId, beans, bowl, subscription };
}

/** A paid subscription to coffee and tea: two items of one at the provider. */
async function subscribeToBoth(context: StripeContext) {
  const { ctx, stripe } = context;
  const [beans, tea] = [await buildProduct(ctx, coffee), await buildProduct(ctx, { ...coffee, name: 'Tea' })];
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [line(beans), line(tea)],
    customer_email: 'ada@example.com',
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(context);
  return { beans, tea };
}

test.serial('a paid mixed cart becomes one order and one subscription, matched by our metadata', async (t) => {
  const { ctx, account, stripe } = t.context;
  const { orderId, beans, subscription } = await subscribe(t.context);
  t.like(await orderOf(ctx, orderId), { status: 'paid', totalCents: 3400 + 3800 + 599, shippingCents: 599 });
  t.like(subscription, { status: 'active', productId: beans.id, interval: 'month', email: 'ada@example.com' });
  t.deepEqual(await recorded(ctx, subscription.id), ['subscription.created']);
  t.is((await subscriptionsOf(ctx)).length, 1);
  const view = await readSubscription(ctx, subscription.id);
  t.like(view, {
    variant_id: beans.variant.id,
    unit_price_cents: 3400,
    currency: 'USD',
    cancel_at_period_end: false,
    canceled_at: null,
  });
  t.truthy(view?.customer.id);
  t.is((await stripe.account(account.secretKey)).customers.length, 1);
});

test.serial('each paid period becomes one order with its own label', async (t) => {
  const { ctx, stripe } = t.context;
  const { orderId, beans, subscription } = await subscribe(t.context);
  await stripe.renew(subscription.paymentSubscriptionId, 'paid');
  await settle(t.context);
  const [first, renewal, ...more] = await ordersOf(ctx);
  t.is(first?.id, orderId);
  t.deepEqual(more, []);
  t.like(renewal, {
    status: 'paid',
    paymentStatus: 'paid',
    email: 'ada@example.com',
    totalCents: 3400 + 599,
    shippingCents: 599,
    attentionCode: null,
  });
  t.deepEqual(await recorded(ctx, renewal?.id ?? ''), ['order.paid']);
  t.is((await enqueuedJobs(ctx, purchaseLabel)).filter(({ attempt }) => attempt === 1).length, 2);
  t.like(await stockOf(ctx, beans.variant.id), { stock: 98, held: 0 });
  t.deepEqual(await recorded(ctx, subscription.id), ['subscription.created', 'subscription.updated']);
});

test.serial("a renewal is found by an event in an older API version of the owner's endpoint", async (t) => {
  const { ctx, account, api, services, stripe, tenant } = t.context;
  const { subscription } = await subscribe(t.context);
  const [current] = (await stripe.account(account.secretKey)).webhook_endpoints;
  const disabled = await fetch(`${services.config.stripeApiBase ?? ''}/v1/webhook_endpoints/${current?.id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.secretKey}` },
    body: new URLSearchParams({ disabled: 'true' }),
  });
  t.is(disabled.status, 200);
  await stripe.addWebhookEndpoint(account.secretKey, {
    url: `${api.url}/api/webhooks/stripe/${tenant.slug}`,
    secret: account.webhookSecret,
    api_version: '2024-06-20',
  });
  await stripe.renew(subscription.paymentSubscriptionId, 'paid');
  await settle(t.context);
  t.like((await ordersOf(ctx))[1], { status: 'paid', totalCents: 3400 + 599 });
});

test.serial("a renewal costs what was charged beside the customer's credit, and no more is refunded", async (t) => {
  const { ctx, account, stripe } = t.context;
  const { subscription } = await subscribe(t.context);
  const [customer] = (await stripe.account(account.secretKey)).customers;
  await changeAtStripe(t.context, `customers/${customer?.id}`, { balance: '-5000' });
  for (let period = 0; period < 2; period += 1) await stripe.renew(subscription.paymentSubscriptionId, 'paid');
  await settle(t.context);
  const [, free, reduced] = await ordersOf(ctx);
  t.like(free, { status: 'paid', totalCents: 0, shippingCents: 599, attentionCode: null });
  t.like(reduced, { status: 'paid', totalCents: 2 * (3400 + 599) - 5000, attentionCode: null });

  await requestRefund(ctx, { orderId: reduced?.id ?? '' });
  await settle(t.context);
  t.like(await orderOf(ctx, reduced?.id ?? ''), { status: 'refunded', refundedCents: 2998, attentionCode: null });
});

test.serial('a renewal is attributed to no partner, by code or by visit', async (t) => {
  const { ctx, stripe } = t.context;
  const [referrer, other] = [await buildPartner(ctx), await buildPartner(ctx, { window: '90d' })];
  const beans = await buildProduct(ctx, coffee);
  for (const { code } of [referrer, other]) await trackReferral(ctx, { code, sessionId: 'ses-1' });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [line(beans)],
    customer_email: 'ada@example.com',
    partner_code: referrer.code,
    metadata: { session_id: 'ses-1' },
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(t.context);
  const [subscription] = await subscriptionsOf(ctx);
  await stripe.renew(subscription?.paymentSubscriptionId ?? '', 'paid');
  await settle(t.context);
  const [first, renewal] = await ordersOf(ctx);
  t.like(await attributionOf(ctx, first?.id ?? ''), { partnerId: referrer.id });
  t.like(renewal, { status: 'paid' });
  t.is(await attributionOf(ctx, renewal?.id ?? ''), undefined);
});

test.serial('every item of a long subscription is mirrored, renewed and changed', async (t) => {
  const { ctx, stripe } = t.context;
  const count = 12;
  const products = await Promise.all(Array.from({ length: count }, () => buildProduct(ctx, coffee)));
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: products.map((product) => line(product)),
    customer_email: 'ada@example.com',
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(t.context);
  const subscriptions = await subscriptionsOf(ctx);
  t.deepEqual(subscriptions.map(({ productId }) => productId).sort(), products.map(({ id }) => id).sort());

  const { id = '', paymentSubscriptionId = '' } = subscriptions[0] ?? {};
  await manageSubscription(ctx, id, { action: 'change_interval', subscription_interval: 'quarter' });
  await stripe.renew(paymentSubscriptionId, 'paid');
  await settle(t.context);
  const renewal = (await ordersOf(ctx))[1] ?? t.fail();
  t.like(renewal, { status: 'paid', totalCents: count * 3400 });
  t.is((await readOrder(ctx, renewal.id))?.items.length, count);
  const quarterly = (await subscriptionsOf(ctx)).filter(
    ({ status, interval }) => status === 'active' && interval === 'quarter',
  );
  t.is(quarterly.length, count);
});

test.serial('a paid period has an order with all that was charged, also what was removed right after it', async (t) => {
  const { ctx, stripe } = t.context;
  const { beans, tea } = await subscribeToBoth(t.context);
  const { paymentSubscriptionId } = (await subscriptionsOf(ctx))[0] ?? t.fail();
  const { paymentItemId: teaItem } = await itemOf(ctx, tea.id);

  await stripe.renew(paymentSubscriptionId, 'paid');
  await changeAtStripe(t.context, `subscriptions/${paymentSubscriptionId}`, {
    'items[0][id]': teaItem,
    'items[0][deleted]': 'true',
  });
  await settle(t.context);

  const renewal = (await ordersOf(ctx))[1] ?? t.fail();
  const { items } = (await readOrder(ctx, renewal.id)) ?? t.fail();
  t.deepEqual(items.map((item) => item.product_id).sort(), [beans.id, tea.id].sort());
  const ended = (await subscriptionsOf(ctx)).find(({ productId }) => productId === tea.id) ?? t.fail();
  t.is(ended.status, 'canceled');
  t.like(await stockOf(ctx, tea.variant.id), { stock: 98, held: 0 });

  const events = await recorded(ctx, ended.id);
  const { id, paymentItemId } = await itemOf(ctx, beans.id);
  await manageSubscription(ctx, id, { action: 'change_address', shipping_address: newHome });
  t.deepEqual(await recorded(ctx, ended.id), events, 'an item that is over has no address to change');
  const price = await priceAtStripe(t.context, paymentSubscriptionId, paymentItemId);
  await changeAtStripe(t.context, `subscriptions/${paymentSubscriptionId}`, { 'items[0][price]': price });
  await settle(t.context);
  const added = (await subscriptionsOf(ctx)).find((each) => each.status === 'active' && each.id !== id);
  t.like(await readSubscription(ctx, added?.id ?? ''), { shipping_address: newHome }, 'an item that is added');
});

test.serial('a period that also paid for something that its first order does not have flags its order', async (t) => {
  const { ctx, account, stripe } = t.context;
  const { beans } = await subscribeToBoth(t.context);
  const cocoa = await buildProduct(ctx, { ...coffee, name: 'Cocoa' });
  const { order_id: otherId } = await createCheckoutSession(ctx, {
    items: [line(cocoa)],
    customer_email: 'bob@example.com',
  });
  await stripe.pay((await sessionOf(ctx, otherId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(t.context);

  const [toBoth, toCocoa]: readonly any[] = (await stripe.account(account.secretKey)).subscriptions;
  await changeAtStripe(t.context, `subscriptions/${toBoth.id}`, {
    'items[0][id]': toBoth.items.data[1].id,
    'items[0][price]': toCocoa.items.data[0].price.id,
  });
  await stripe.renew(toBoth.id, 'paid');
  await settle(t.context);
  const { id = '' } = (await ordersOf(ctx)).at(-1) ?? {};
  const { order, attentions } = (await readManagedOrder(ctx, id)) ?? t.fail();
  t.like(order, { status: 'paid', subtotal_cents: 3400, total_cents: 6800, items: only({ product_id: beans.id }) });
  t.true(attentions.some(({ code }) => code === 'renewal_unknown'));
  const shown = await read<{ id: string }>(
    ctx,
    sql`
    select variant_id as id from subscriptions
    where tenant_id = ${ctx.tenant.id} and payment_subscription_id = ${toBoth.id}`,
  );
  t.deepEqual(new Set(shown.map((each) => each.id)), new Set([beans.variant.id, cocoa.variant.id]));
});

test.serial('the goods of a period have the SKU and weight of their variant now, and ship if it does', async (t) => {
  const { ctx, stripe } = t.context;
  const beans = await buildProduct(ctx, { ...coffee, variants: [{ sku: 'BEANS-1', weight_oz: null }] });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [line(beans)],
    customer_email: 'ada@example.com',
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(t.context);
  const { paymentSubscriptionId = '' } = (await subscriptionsOf(ctx))[0] ?? {};
  async function renew() {
    await stripe.renew(paymentSubscriptionId, 'paid');
    await settle(t.context);
  }

  const variant = { id: beans.variant.id, sku: 'BEANS-2' };
  for (const change of [{ weight_oz: 12 }, { weight_oz: 14, ships: false }]) {
    await buildProduct(ctx, { ...coffee, slug: beans.slug, variants: [{ ...variant, ...change }] });
    await renew();
  }
  await transact(ctx, (ctx) => removeProduct(ctx, beans.slug));
  await renew();
  t.deepEqual(
    await read(
      ctx,
      sql`
      select i.sku, i.weight_oz::float8 as "weightOz", i.ships
      from orders o join order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
      where o.tenant_id = ${ctx.tenant.id} order by o.number`,
    ),
    [
      { sku: 'BEANS-1', weightOz: null, ships: true },
      { sku: 'BEANS-2', weightOz: 12, ships: true },
      { sku: 'BEANS-2', weightOz: 14, ships: false },
      { sku: 'BEANS-2', weightOz: 14, ships: false },
    ],
  );
});

test.serial(
  'applySubscription drops a snapshot that was requested earlier, by a process whose clock is minutes ahead',
  async (t) => {
    const { ctx } = t.context;
    const {
      subscription: { id, paymentSubscriptionId },
    } = await subscribe(t.context);
    const account = await openAccount(ctx);
    const active = await fetchSubscription(ctx, account, paymentSubscriptionId);
    await manageSubscription(behind(ctx), id, { action: 'pause' });
    await transact(ctx, (ctx) => applySnapshot(ctx, { subject: 'subscription', subscription: active }));
    t.like(await readSubscription(ctx, id), { status: 'paused' });
  },
);

test.serial('an unpaid period creates no order and records an event', async (t) => {
  const { ctx, stripe } = t.context;
  const { subscription } = await subscribe(t.context);
  await stripe.renew(subscription.paymentSubscriptionId, 'failed');
  await settle(t.context);
  t.is((await ordersOf(ctx)).length, 1);
  t.is((await subscriptionsOf(ctx))[0]?.status, 'past_due');
  t.deepEqual(await recorded(ctx, subscription.id), ['subscription.created', 'subscription.updated']);
});

test.serial('a canceled subscription records one event, and the email can subscribe again', async (t) => {
  const { ctx, stripe } = t.context;
  const { subscription, beans } = await subscribe(t.context);
  const again = () => createCheckoutSession(ctx, { items: [line(beans)], customer_email: 'ada@example.com' });
  t.is((await t.throwsAsync(again(), { instanceOf: DomainError }))?.code, 'duplicate_subscription');
  await stripe.cancel(subscription.paymentSubscriptionId);
  await settle(t.context);
  t.is((await subscriptionsOf(ctx))[0]?.status, 'canceled');
  t.deepEqual(await recorded(ctx, subscription.id), ['subscription.created', 'subscription.canceled']);
  await t.notThrowsAsync(again());
});

test.serial(
  'a repeat subscriber stays one customer at the provider, also with two first checkouts at once',
  async (t) => {
    const { ctx, account, stripe } = t.context;
    const beans = await buildProduct(ctx, coffee);
    const tea = await buildProduct(ctx, { ...coffee, name: 'Tea' });
    const buy = (product: BuiltProduct) =>
      createCheckoutSession(ctx, { items: [line(product)], customer_email: 'Ada@Example.com', cart_id: null });
    await Promise.all([buy(beans), buy(tea)]);
    t.is((await stripe.account(account.secretKey)).customers.length, 1);
  },
);

test.serial('a subscriber with a customer at the provider under another spelling keeps that customer', async (t) => {
  const { ctx, account, stripe, services } = t.context;
  const made = await fetch(`${services.config.stripeApiBase ?? ''}/v1/customers`, {
    method: 'POST',
    body: new URLSearchParams({ email: 'Ada@Example.com' }),
    headers: { authorization: `Bearer ${account.secretKey}` },
  });
  t.is(made.status, 200);
  const beans = await buildProduct(ctx, coffee);
  await createCheckoutSession(ctx, { items: [line(beans)], customer_email: ' Ada@Example.com ' });
  t.is((await stripe.account(account.secretKey)).customers.length, 1);
});

test.serial('a subscriber whose customer at the provider has another currency gets another one', async (t) => {
  const { account, services, stripe } = t.context;
  const create = async (path: string, params: Record<string, string>) => {
    const made = await fetch(`${services.config.stripeApiBase ?? ''}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.secretKey}` },
      body: new URLSearchParams(params),
    });
    const { id } = Object(await made.json());
    return String(id);
  };
  const customer = await create('customers', { email: 'ada@example.com' });
  const sessionId = await create('checkout/sessions', {
    customer,
    mode: 'subscription',
    success_url: 'https://paper.example/thanks',
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'eur',
    'line_items[0][price_data][unit_amount]': '900',
    'line_items[0][price_data][product_data][name]': 'Newspaper',
    'line_items[0][price_data][recurring][interval]': 'month',
  });
  await stripe.pay(sessionId, { outcome: 'paid' });

  const { subscription } = await subscribe(t.context);
  t.like(subscription, { status: 'active' });
  const ids = (await stripe.account(account.secretKey)).customers.map(({ id }) => id);
  t.is(ids.length, 2);
  t.true(ids.includes(customer));
});

test.serial('manageSubscription schedules a cancellation, undoes it, and cancels at once', async (t) => {
  const { ctx } = t.context;
  const { subscription } = await subscribe(t.context);
  const { id } = subscription;
  t.like(await manageSubscription(ctx, id, { action: 'cancel' }), { status: 'active', cancel_at_period_end: true });
  t.like(await reactivateSubscription(ctx, id), { status: 'active', cancel_at_period_end: false });
  t.like(await manageSubscription(ctx, id, { action: 'pause' }), { status: 'paused' });
  t.like(await manageSubscription(ctx, id, { action: 'resume' }), { status: 'active' });
  t.like(await manageSubscription(ctx, id, { action: 'change_interval', subscription_interval: 'quarter' }), {
    interval: 'quarter',
  });
  t.like(await manageSubscription(ctx, id, { action: 'cancel', at_period_end: false }), { status: 'canceled' });
  t.is(
    (await t.throwsAsync(reactivateSubscription(ctx, id), { instanceOf: DomainError }))?.code,
    'subscription_canceled',
  );
  await settle(t.context);
  const events = await recorded(ctx, id);
  t.is(events.filter((type) => type === 'subscription.canceled').length, 1);
  t.is(events[0], 'subscription.created');
});

test.serial('a repeated pause or resume succeeds and changes nothing', async (t) => {
  const { ctx, api } = t.context;
  const { id } = (await subscribe(t.context)).subscription;
  const key = await buildKey(ctx, ['subscriptions:write', 'admin.orders:write']);
  const manage = (action: string, path = '/subscriptions') =>
    api.call('POST', `/api/v1${path}/${id}/manage`, { key, body: { action } });
  for (const [action, status] of [
    ['resume', 'active'],
    ['pause', 'paused'],
    ['pause', 'paused'],
    ['resume', 'active'],
    ['resume', 'active'],
  ] as const) {
    const first = await manage(action);
    t.is(resultOf(first), '200', action);
    t.is(first.body.subscription.status, status);
    t.deepEqual((await manage(action, '/admin/subscriptions')).body, first.body);
  }
});

test.serial(
  'a change of a subscription that has ended at the provider unseen is rejected, and it is over here',
  async (t) => {
    const { ctx, stripe } = t.context;
    const { id, paymentSubscriptionId } = (await subscribe(t.context)).subscription;
    await stripe.deliveries({ drop: 1 });
    await stripe.cancel(paymentSubscriptionId);
    await t.throwsAsync(manageSubscription(ctx, id, { action: 'pause' }), { code: 'subscription_canceled' });
    t.like(await readSubscription(ctx, id), { status: 'canceled' });
  },
);

test.serial('a cancellation of a subscription that has ended at the provider unseen succeeds', async (t) => {
  const { ctx, stripe } = t.context;
  const { id, paymentSubscriptionId } = (await subscribe(t.context)).subscription;
  await stripe.deliveries({ drop: 1 });
  await stripe.cancel(paymentSubscriptionId);
  t.like(await manageSubscription(ctx, id, { action: 'cancel' }), { status: 'canceled' });
});

test.serial('the audit log has each change of a subscription, without the address', async (t) => {
  const { ctx } = t.context;
  const { id } = (await subscribe(t.context)).subscription;
  await manageSubscription(ctx, id, { action: 'pause' });
  await manageSubscription(ctx, id, { action: 'change_address', shipping_address: newHome });
  const log = (await auditOf(ctx)).filter(({ action }) => action.startsWith('subscription.'));
  t.deepEqual(
    log.map(({ action }) => action),
    ['subscription.pause', 'subscription.change_address'],
  );
  t.false(JSON.stringify(log).includes(newHome.street1));
});

test.serial('manageSubscription wins over a snapshot that was fetched while the change was under way', async (t) => {
  const { ctx, clock } = t.context;
  const { subscription } = await subscribe(t.context);
  const { payments } = ctx.ports;
  const changeSubscription: PaymentGateway['changeSubscription'] = async (account, id, change, key) => {
    clock.pass(1000);
    const snapshot = await fetchSnapshot(ctx, account, 'subscription', id);
    if (snapshot) await transact(ctx, (ctx) => applySnapshot(ctx, snapshot));
    clock.pass(1000);
    return payments.changeSubscription(account, id, change, key);
  };
  const view = await manageSubscription(
    { ...ctx, ports: { ...ctx.ports, payments: Object.assign(Object.create(payments), { changeSubscription }) } },
    subscription.id,
    { action: 'cancel', at_period_end: false },
  );
  t.is(view.status, 'canceled');
});

/** What the provider charged, and what was made and shipped of it. */
async function chargedAndServed({ ctx, account, stripe }: StripeContext) {
  const { invoices } = await stripe.account(account.secretKey);
  const orders = await ordersOf(ctx);
  return {
    charged: invoices.reduce((sum, { amount_paid: paid }) => sum + Number(paid), 0),
    ordered: orders.reduce((sum, { totalCents }) => sum + totalCents, 0),
    orders: orders.length,
    labels: (await enqueuedJobs(ctx, purchaseLabel)).filter(({ attempt }) => attempt === 1).length,
  };
}

test.serial('manageSubscription charges nothing for any number of pauses, resumes and new intervals', async (t) => {
  const { ctx, clock } = t.context;
  const { subscription } = await subscribe(t.context);
  const { id } = subscription;
  const end = (await readSubscription(ctx, id))?.current_period_end ?? '';
  for (const interval of ['quarter', 'month', 'quarter'] as const) {
    await manageSubscription(ctx, id, { action: 'pause' });
    clock.pass(3_600_000);
    t.like(await manageSubscription(ctx, id, { action: 'resume' }), { current_period_end: end });
    clock.pass(3_600_000);
    t.like(await manageSubscription(ctx, id, { action: 'change_interval', subscription_interval: interval }), {
      interval,
      status: 'trialing',
      current_period_end: end,
    });
    await settle(t.context);
  }
  t.deepEqual(await chargedAndServed(t.context), { charged: 7799, ordered: 7799, orders: 1, labels: 1 });
});

test.serial('a new interval begins with its first charge when the paid period ends', async (t) => {
  const { ctx, clock, stripe } = t.context;
  const {
    subscription: { id, paymentSubscriptionId },
    beans,
  } = await subscribe(t.context);
  const end = Date.parse((await readSubscription(ctx, id))?.current_period_end ?? '');
  await manageSubscription(ctx, id, { action: 'change_interval', subscription_interval: 'quarter' });
  clock.pass(end - clock.now().getTime());
  await stripe.renew(paymentSubscriptionId, 'paid');
  await settle(t.context);
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status, totalCents }) => `${status} ${totalCents}`),
    ['paid 7799', 'paid 3999'],
  );
  t.like(await stockOf(ctx, beans.variant.id), { stock: 98, held: 0 });
  const view = await readSubscription(ctx, id);
  t.like(view, { status: 'active', interval: 'quarter' });
  const days = (Date.parse(view?.current_period_end ?? '') - end) / 86_400_000;
  t.true(days >= 89 && days <= 92, `${days} days`);
});

test.serial('a new interval keeps the quantity', async (t) => {
  const { ctx, stripe } = t.context;
  const beans = await buildProduct(ctx, coffee);
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ ...line(beans), quantity: 3 }],
    customer_email: 'ada@example.com',
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(t.context);
  const { id = '', paymentSubscriptionId = '' } = (await subscriptionsOf(ctx))[0] ?? {};
  t.like(await manageSubscription(ctx, id, { action: 'change_interval', subscription_interval: 'quarter' }), {
    interval: 'quarter',
    quantity: 3,
  });
  await stripe.renew(paymentSubscriptionId, 'paid');
  await settle(t.context);
  t.deepEqual(
    (await ordersOf(ctx)).map(({ totalCents }) => totalCents),
    [3 * 3400, 3 * 3400],
  );
});

test.serial(
  'a new interval keeps the price that was set at the provider, its part of a cent and its tax',
  async (t) => {
    const { ctx, account, stripe } = t.context;
    const {
      subscription: { id, paymentSubscriptionId },
    } = await subscribe(t.context);
    const { subscriptions } = await stripe.account(account.secretKey);
    const item = (subscriptions[0] as any).items.data[0];
    await changeAtStripe(t.context, `subscriptions/${paymentSubscriptionId}`, {
      'items[0][id]': item.id,
      'items[0][price_data][currency]': 'usd',
      'items[0][price_data][product]': item.price.product,
      'items[0][price_data][unit_amount_decimal]': '1650.5',
      'items[0][price_data][tax_behavior]': 'inclusive',
      'items[0][price_data][recurring][interval]': 'month',
    });
    t.like(await manageSubscription(ctx, id, { action: 'change_interval', subscription_interval: 'quarter' }), {
      unit_price_cents: 1651,
    });
    const [quarterly] = (await stripe.account(account.secretKey)).subscriptions;
    t.is((quarterly as any).items.data[0].price.tax_behavior, 'inclusive');
    await stripe.renew(paymentSubscriptionId, 'paid');
    await settle(t.context);
    const [, renewal] = await ordersOf(ctx);
    t.is(renewal?.totalCents, 1651 + 599);
  },
);

test.serial('a pause beyond the paid period skips its dates, and the next one is charged', async (t) => {
  const { ctx, clock, stripe } = t.context;
  const { subscription } = await subscribe(t.context);
  const { id, paymentSubscriptionId } = subscription;
  await manageSubscription(ctx, id, { action: 'pause' });
  clock.pass(100 * 86_400_000);
  const resumed = await manageSubscription(ctx, id, { action: 'resume' });
  t.is(resumed.status, 'active');
  t.true(Date.parse(resumed.current_period_end) > clock.now().getTime());
  await settle(t.context);
  t.like(await chargedAndServed(t.context), { charged: 7799, orders: 1 });
  await stripe.renew(paymentSubscriptionId, 'paid');
  await settle(t.context);
  t.deepEqual(await chargedAndServed(t.context), { charged: 11798, ordered: 11798, orders: 2, labels: 2 });
});

test.serial('no pause and no other interval while a payment is overdue, but once it is paid', async (t) => {
  const { ctx, account, stripe } = t.context;
  const { subscription } = await subscribe(t.context);
  await stripe.renew(subscription.paymentSubscriptionId, 'failed');
  await settle(t.context);
  t.is((await readSubscription(ctx, subscription.id))?.status, 'past_due');
  const changes = [
    { action: 'pause' } as const,
    { action: 'change_interval', subscription_interval: 'quarter' } as const,
  ];
  for (const change of changes) {
    const error = await t.throwsAsync(manageSubscription(ctx, subscription.id, change), {
      instanceOf: DomainError,
      code: 'invalid_request',
    });
    t.like(error?.extensions['errors'], only({ path: '/action', code: 'past_due', detail: error?.message }));
  }
  t.is((await readSubscription(ctx, subscription.id))?.status, 'past_due');

  const { invoices } = await stripe.account(account.secretKey);
  await stripe.payInvoice(invoices.find(({ status }) => status === 'open')?.id ?? '', 'paid');
  await settle(t.context);
  for (const change of changes.toReversed()) await manageSubscription(ctx, subscription.id, change);
  t.like(await readSubscription(ctx, subscription.id), { status: 'paused', interval: 'quarter' });
});

const newHome = {
  name: 'Ada Lovelace',
  street1: '12 Ockham Road',
  street2: null,
  city: 'Portland',
  state: 'OR',
  zip: '97201',
  country: 'US',
  phone: null,
};

test.serial('the parcels of the next periods go where a subscriber has moved to, of all items', async (t) => {
  const { ctx, stripe } = t.context;
  await buildShippingAccount(ctx);
  await subscribeToBoth(t.context);
  const [one, other] = await subscriptionsOf(ctx);
  const { id = '', paymentSubscriptionId = '' } = one ?? {};
  const before = await readSubscription(ctx, id);
  t.like(before, { shipping_address: { street1: shopper.address.line1 } });

  const change = { action: 'change_address' as const, shipping_address: newHome };
  const email = before?.shipping_address?.email ?? null;
  t.deepEqual((await manageSubscription(ctx, id, change)).shipping_address, { ...newHome, email });
  t.like(await readSubscription(ctx, other?.id ?? ''), { shipping_address: newHome });
  await manageSubscription(ctx, id, change);
  const select = exportKindOf({ kind: 'subscriptions' }).selectObjects?.(ctx, { from: null, to: null });
  const exported = await read<{ shipping_address: object }>(ctx, select ?? sql``);
  t.deepEqual(
    exported.map(({ shipping_address: address }) => address),
    [
      { ...newHome, email },
      { ...newHome, email },
    ],
  );
  for (const item of [one, other]) {
    t.deepEqual(await recorded(ctx, item?.id ?? ''), ['subscription.created', 'subscription.updated']);
  }

  // What the provider has is applied again with each renewal, and has no part in it.
  await stripe.renew(paymentSubscriptionId, 'paid');
  await settle(t.context);
  const [first, renewal] = await ordersOf(ctx);
  t.like(await readOrder(ctx, first?.id ?? ''), { shipping_address: { street1: shopper.address.line1 } });
  t.like(await readOrder(ctx, renewal?.id ?? ''), { shipping_address: newHome });

  const { subscription: theirs } = await subscribe(t.context, 'bob@example.com');
  await stripe.renew(theirs.paymentSubscriptionId, 'paid');
  await settle(t.context);
  const { id: last = '' } = (await ordersOf(ctx)).at(-1) ?? {};
  t.like(await readOrder(ctx, last), { shipping_address: { street1: shopper.address.line1 } }, 'of another subscriber');
});

test.serial('manageSubscription rejects a new address that is missing, in no country, or comes too late', async (t) => {
  const { api, ctx } = t.context;
  const { subscription } = await subscribe(t.context);
  const key = await buildKey(ctx, ['subscriptions:write']);
  const move = (address: object | null) =>
    api.call('POST', `/api/v1/subscriptions/${subscription.id}/manage`, {
      key,
      body: { action: 'change_address', shipping_address: address },
    });
  const missing = await move(null);
  t.deepEqual([resultOf(missing), placesOf(missing)], ['400 invalid_request', ['/shipping_address']]);
  const nowhere = await move({ ...newHome, country: 'UK' });
  t.deepEqual([resultOf(nowhere), placesOf(nowhere)], ['400 invalid_request', ['/shipping_address/country']]);
  await manageSubscription(ctx, subscription.id, { action: 'cancel', at_period_end: false });
  t.is(resultOf(await move(newHome)), '409 subscription_canceled');
});

test.serial('manageSubscription rejects a new interval while the subscription is paused', async (t) => {
  const { ctx } = t.context;
  const { subscription } = await subscribe(t.context);
  await manageSubscription(ctx, subscription.id, { action: 'pause' });
  const error = await t.throwsAsync(
    manageSubscription(ctx, subscription.id, { action: 'change_interval', subscription_interval: 'quarter' }),
    { instanceOf: DomainError },
  );
  t.is(error?.code, 'invalid_request');
});

test.serial(
  'a new interval in which a product of the subscription is not sold is rejected before the provider is called',
  async (t) => {
    const { ctx, api, stripe } = t.context;
    const beans = await buildProduct(ctx, coffee);
    const tea = await buildProduct(ctx, { ...coffee, subscription_intervals: ['month'] });
    const items = [line(beans), line(tea)];
    const { order_id: orderId } = await createCheckoutSession(ctx, { items, customer_email: 'ada@example.com' });
    await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
    await settle(t.context);
    const id = (await subscriptionsOf(ctx)).find(({ productId }) => productId === beans.id)?.id;
    const key = await buildKey(ctx, ['subscriptions:write', 'admin.orders:write']);
    const requestCount = async () => (await stripe.requests()).length;
    const before = await requestCount();
    const change = async (interval: string, path = '/subscriptions', action = 'change_interval') => {
      const body = { action, subscription_interval: interval };
      return resultOf(await api.call('POST', `/api/v1${path}/${id}/manage`, { key, body }));
    };

    t.is(await change('quarter'), '400 price_unavailable');
    t.is(await change('quarter', '/admin/subscriptions'), '400 price_unavailable');
    await buildProduct(ctx, { ...coffee, slug: tea.slug, status: 'draft' });
    t.is(await change('quarter'), '400 price_unavailable', 'not published');
    await buildProduct(ctx, { ...coffee, slug: tea.slug, purchase_types: ['one_time'] });
    t.is(await change('quarter'), '400 price_unavailable', 'sold once only');
    await transact(ctx, (ctx) => removeProduct(ctx, tea.slug));
    t.is(await change('quarter'), '400 price_unavailable', 'removed');
    t.is(await requestCount(), before);
    t.is(await change('month'), '200', 'as it is');
    for (const action of ['pause', 'resume']) t.is(await change('quarter', '/subscriptions', action), '200', action);

    await buildProduct(ctx, { ...coffee, slug: tea.slug, subscription_intervals: ['quarter'] });
    t.is(await change('quarter'), '200');
    t.is(await change('month'), '400 price_unavailable');
  },
);

test.serial('a new interval is not rejected for another subscription, nor for an item that is over', async (t) => {
  const { ctx } = t.context;
  const { id, paymentSubscriptionId } = (await subscribe(t.context)).subscription;
  const { id: productId } = await buildProduct(ctx, { ...coffee, subscription_intervals: ['month'] });
  await buildSubscription(ctx, { productId });
  await buildSubscription(ctx, { productId, paymentSubscriptionId, status: 'canceled' });
  t.like(await manageSubscription(ctx, id, { action: 'change_interval', subscription_interval: 'quarter' }), {
    interval: 'quarter',
  });
});

test.serial('what is charged is the price of the periods served, whatever is changed in whatever order', async (t) => {
  for (const seed of [1, 2, 3]) {
    const { ctx, clock, stripe } = t.context;
    const random = seededRandom(seed);
    const before = await chargedAndServed(t.context);
    const { subscription } = await subscribe(t.context, `ada${seed}@example.com`);
    const { id, paymentSubscriptionId } = subscription;
    let periods = 0;
    for (let step = 0; step < 12; step++) {
      const { status, current_period_end: end } = (await readSubscription(ctx, id)) ?? t.fail();
      const action = status === 'paused' ? 'resume' : random.pick(['pause', 'change_interval', 'renew'] as const);
      const untilEnd = Date.parse(end) - clock.now().getTime();
      if (action === 'renew') {
        clock.pass(untilEnd);
        await stripe.renew(paymentSubscriptionId, 'paid');
        periods++;
      } else {
        clock.pass(random.below(status === 'paused' ? 50 * 86_400_000 : untilEnd - 60_000));
        await manageSubscription(ctx, id, {
          action,
          ...(action === 'change_interval' && { subscription_interval: random.pick(['month', 'quarter']) }),
        });
      }
      await settle(t.context);
    }
    const after = await chargedAndServed(t.context);
    const total = 7799 + periods * 3999;
    t.is(after.charged - before.charged, total, `charged, seed ${seed}`);
    t.is(after.ordered - before.ordered, total, `ordered, seed ${seed}`);
    t.is(after.orders - before.orders, 1 + periods, `orders, seed ${seed}`);
    t.is(after.labels - before.labels, 1 + periods, `labels, seed ${seed}`);
  }
});

test.serial("a cancellation on the provider's page is mirrored, and can be undone", async (t) => {
  const { ctx, stripe } = t.context;
  const {
    subscription: { id, paymentSubscriptionId },
  } = await subscribe(t.context);
  const { url } = await openBillingPortal(ctx, {
    customer_email: 'ada@example.com',
    return_url: t.context.tenant.storefrontUrl,
  });
  await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ subscription: paymentSubscriptionId, action: 'cancel' }),
    redirect: 'manual',
  });
  await settle(t.context);
  t.like(await readSubscription(ctx, id), { status: 'active', cancel_at_period_end: true });
  t.like(await reactivateSubscription(ctx, id), { status: 'active', cancel_at_period_end: false, canceled_at: null });
  await stripe.renew(paymentSubscriptionId, 'paid');
  await settle(t.context);
  t.is((await ordersOf(ctx)).length, 2);
});

test.serial(
  'createGiftCheckout sells months of a subscription at once, and the recipient gets one email',
  async (t) => {
    const { ctx, stripe } = t.context;
    const beans = await buildProduct(ctx, { ...coffee, variants: [{ ships: false }] });
    const { order_id: orderId, order } = await createGiftCheckout(ctx, {
      product_slug: beans.slug,
      variant_id: beans.variant.id,
      months: 3,
      recipient_email: 'Grace@example.com',
      message: 'Enjoy.',
    });
    t.is(order.total_cents, 3 * 3400);
    await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
    await settle(t.context);
    t.like(await orderOf(ctx, orderId), { status: 'paid', email: 'ada@example.com' });
    t.deepEqual(await subscriptionsOf(ctx), []);
    const mails = await read<{ kind: string; recipient: string }>(
      ctx,
      sql`
    select kind, recipient from mails where tenant_id = ${ctx.tenant.id} order by kind`,
    );
    t.deepEqual(mails, [
      { kind: 'gift', recipient: 'grace@example.com' },
      { kind: 'receipt', recipient: 'ada@example.com' },
    ]);
  },
);

test.serial("openBillingPortal returns the provider's page, with a return URL of the store", async (t) => {
  const { ctx, tenant } = t.context;
  await subscribe(t.context);
  const open = (customer_email: string, return_url = `${tenant.storefrontUrl}/account`) =>
    openBillingPortal(ctx, { customer_email, return_url });
  t.regex((await open(' ADA@example.com')).url, /^http/);
  t.is((await t.throwsAsync(open('bob@example.com'), { instanceOf: DomainError }))?.code, 'customer_not_found');
  t.is(
    (await t.throwsAsync(open('ada@example.com', 'ftp://elsewhere.example/'), { instanceOf: DomainError }))?.code,
    'invalid_request',
  );
});

test.serial('openBillingPortal shows the subscription to a shopper whose email was corrected', async (t) => {
  const { ctx, tenant } = t.context;
  const { orderId, subscription } = await subscribe(t.context);
  await correctEmail(ctx, { orderId, email: 'adah@example.com' });
  await openBillingPortal(ctx, { customer_email: 'adah@example.com', return_url: tenant.storefrontUrl });
  const [{ paymentCustomerId } = t.fail()] = await read<{ paymentCustomerId: string }>(
    ctx,
    sql`select payment_customer_id as "paymentCustomerId" from subscriptions where id = ${subscription.id}`,
  );
  t.like(await findCustomerByEmail(ctx, 'adah@example.com'), { paymentCustomerId });
});

test.serial(
  'openBillingPortal replaces a customer that was deleted at the provider or belongs to a replaced account',
  async (t) => {
    const { ctx, account, tenant } = t.context;
    await subscribe(t.context);
    const open = () => openBillingPortal(ctx, { customer_email: 'ada@example.com', return_url: tenant.storefrontUrl });
    const stored = async () => (await findCustomerByEmail(ctx, 'ada@example.com'))?.paymentCustomerId;
    const first = await stored();
    const apiBase = new URL((await open()).url).origin;
    await fetch(`${apiBase}/v1/customers/${first}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${account.secretKey}` },
    });
    t.regex((await open()).url, /^http/);
    const second = await stored();
    t.not(second, first);

    await buildPaymentAccount(ctx);
    t.regex((await open()).url, /^http/);
    t.not(await stored(), second);
    const third = await stored();
    await open();
    t.is(await stored(), third);
  },
);

for (const [circumstance, acts, responds] of [
  ['', true, true],
  [' and the response is lost', true, false],
  [' and it is killed before', false, false],
] as const) {
  test.serial(`a subscription counts as charged while a process reactivates it${circumstance}`, async (t) => {
    const { ctx, services, clock } = t.context;
    const { subscription } = await subscribe(t.context);
    const { id } = subscription;
    await manageSubscription(ctx, id, { action: 'cancel' });
    await settle(t.context);
    await transact(behind(ctx), closeStore);
    const remove = () => removeStore(ctx, 'ada@desk');
    const charged = ['subscriptions that Stripe still charges: 1 (cancel them)'];
    const { payments } = ctx.ports;
    const changeSubscription: PaymentGateway['changeSubscription'] = async (...change) => {
      t.deepEqual(await remove(), charged);
      if (acts) await payments.changeSubscription(...change);
      if (!responds) throw new ProviderError('stripe', 'away', 'The connection was lost.');
    };
    const ports = { ...ctx.ports, payments: Object.assign(Object.create(payments), { changeSubscription }) };
    const reactivating = reactivateSubscription({ ...ctx, ports }, id);
    if (responds) await reactivating;
    else await t.throwsAsync(reactivating, { code: 'payment_provider_unavailable' });
    t.deepEqual(await remove(), charged);

    clock.pass(minutes(2));
    await runJobs(services);
    t.is((await readSubscription(ctx, id))?.cancel_at_period_end, !acts);
    t.deepEqual(await remove(), acts ? charged : []);
    if (!acts) await t.throwsAsync(reactivateSubscription(ctx, id), { code: 'not_found' });
  });
}
