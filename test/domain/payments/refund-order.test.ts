import anyTest, { type TestFn } from 'ava';

import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { refundOrder } from '#src/domain/payments/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { recorded } from '#test/support/promised.ts';
import { shopper, type StripeContext, useStripe } from '#test/support/use-stripe.ts';
import { workPromises } from '#test/support/work-promises.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

async function settle({ services, stripe }: StripeContext): Promise<void> {
  if (!(await stripe.idle())) throw new Error('Webhooks are stuck.');
  await workPromises(services);
}

async function buy(context: StripeContext, purchase_type: 'one_time' | 'subscription' = 'one_time') {
  const { ctx, stripe } = context;
  const product = await buildProduct(ctx, {
    purchase_types: ['one_time', 'subscription'], subscription_intervals: ['month'], variants: [{ ships: false }],
  });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, variant_id: product.variant.id, quantity: 1, purchase_type, subscription_interval: 'month' }],
    customer_email: 'ada@example.com',
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(context);
  return { orderId, product };
}

test.serial('some of an order and then the rest goes back, and goods that were not sent are for sale again', async (t) => {
  const { ctx, stripe, account } = t.context;
  const { orderId, product } = await buy(t.context);
  await refundOrder(ctx, { orderId, amountCents: 1000, reason: 'scratched' });
  t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 1000 });
  await refundOrder(ctx, { orderId });
  await settle(t.context);
  t.like(await orderOf(ctx, orderId), { status: 'refunded', refundedCents: 3800 });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid', 'order.refunded', 'order.refunded']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 100, ledger: 100 });
  t.is((await stripe.account(account.secretKey)).refunds.length, 2);
});

test.serial('a refund whose answer was lost is made once', async (t) => {
  const { ctx, stripe, account } = t.context;
  const { orderId } = await buy(t.context);
  await stripe.addFault({ match: 'POST /v1/refunds', account: account.secretKey, kind: 'reset_after', times: 4 });
  await refundOrder(ctx, { orderId, amountCents: 500 }).catch(() => undefined);
  await stripe.clearFaults();
  if ((await orderOf(ctx, orderId)).refundedCents === 0) await refundOrder(ctx, { orderId, amountCents: 500 });
  t.is((await orderOf(ctx, orderId)).refundedCents, 500);
  t.is((await stripe.account(account.secretKey)).refunds.length, 1);
});

test.serial('each period of a subscription is refunded by itself', async (t) => {
  const { ctx, stripe } = t.context;
  await buy(t.context, 'subscription');
  await stripe.renew((await subscriptionsOf(ctx))[0]?.paymentSubscriptionId ?? '', 'paid');
  await settle(t.context);
  const [first, renewal] = await ordersOf(ctx);
  await refundOrder(ctx, { orderId: renewal?.id ?? '' });
  await settle(t.context);
  t.deepEqual((await ordersOf(ctx)).map(({ status }) => status), ['paid', 'refunded']);
  await refundOrder(ctx, { orderId: first?.id ?? '', amountCents: 100 });
  t.deepEqual((await ordersOf(ctx)).map(({ refundedCents }) => refundedCents), [100, 3400]);
});

test.serial('what was not paid, or more than was, does not go back', async (t) => {
  const { ctx } = t.context;
  const { orderId } = await buy(t.context);
  const code = async (given: Parameters<typeof refundOrder>[1]) => (await t.throwsAsync(refundOrder(ctx, given), { instanceOf: DomainError }))?.code;
  t.is(await code({ orderId: newId('ord') }), 'not_found');
  t.is(await code({ orderId, amountCents: 3801 }), 'invalid_request');
  await refundOrder(ctx, { orderId });
  t.is(await code({ orderId }), 'return_not_allowed');
});
