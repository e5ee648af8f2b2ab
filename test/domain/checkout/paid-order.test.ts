import anyTest, { type TestFn } from 'ava';

import { purchaseLabel } from '#jobs/labels.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { removeDiscount } from '#src/domain/payments/index.ts';
import { hours } from '#src/lib/duration.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { holdsOf, orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { balanceOf, buildGiftCard, buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

test.serial('a shopper pays on the hosted page, and the order is paid once with everything that follows', async (t) => {
  const { ctx, services, stripe } = t.context;
  await buildShippingAccount(ctx);
  const product = await buildProduct(ctx);
  const promo = await buildPromo(ctx);
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });

  const { result: checkout, statements } = await countStatements(services, () =>
    createCheckoutSession(ctx, {
      items: [{ product_slug: product.slug, quantity: 2 }],
      customer_email: ' Ada@Example.com ',
      promo_code: promo.code,
      gift_card_code: card.code,
      metadata: { campaign: 'autumn' },
    }),
  );
  t.log(`${statements.length} statements of a checkout with everything`);
  t.true(statements.length <= 14);
  t.is(checkout.order.order_number, 'ORD-1001');
  t.is(checkout.order.total_cents, 2 * 3800 - 760 - 1000);
  t.deepEqual(await holdsOf(ctx, checkout.order_id), ['gift_card: held', 'promo: held', 'stock: held']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 100, held: 2 });

  const { sessionId } = await sessionOf(ctx, checkout.order_id);
  await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
  t.true(await stripe.idle());
  await runJobs(services, { rounds: 1 });

  const order = await orderOf(ctx, checkout.order_id);
  t.like(order, {
    status: 'paid',
    paymentStatus: 'paid',
    email: 'ada@example.com',
    attentionCode: null,
    shippingCents: 599,
  });
  t.is(order.totalCents, 2 * 3800 - 760 - 1000 + 599);
  t.truthy(order.customerId);
  t.deepEqual(await holdsOf(ctx, order.id), ['gift_card: captured', 'promo: captured', 'stock: captured']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 98, held: 0 });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 1 });
  t.deepEqual(await balanceOf(ctx, card.id), { balance: 0, held: 0 });
  t.deepEqual(await recorded(ctx, order.id), ['order.paid']);
  t.is((await enqueuedJobs(ctx, purchaseLabel)).length, 1);
});

test.serial(
  'removeDiscount removes the discount of a session that is over, paid or not, and can be repeated',
  async (t) => {
    const { ctx, services, stripe, account, clock } = t.context;
    const product = await buildProduct(ctx, { variants: [{ ships: false }] });
    const promo = await buildPromo(ctx);
    const buy = () =>
      createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }], promo_code: promo.code });
    const coupons = async () => (await stripe.account(account.secretKey)).coupons.length;
    const [paid] = [await buy(), await buy()];
    t.is(await coupons(), 2);
    await stripe.pay((await sessionOf(ctx, paid.order_id)).sessionId ?? '', { ...shopper, outcome: 'paid' });
    await stripe.idle();
    await stripe.addFault({ match: 'DELETE /v1/coupons/*', kind: 'reset_after', times: 4 });
    await runJobs(services);
    clock.pass(hours(2));
    await runJobs(services);
    t.is(await coupons(), 0);
    for (let time = 0; time < 2; time += 1) await t.notThrowsAsync(removeDiscount(ctx, { orderId: paid.order_id }));
    t.like(await orderOf(ctx, paid.order_id), { status: 'paid', totalCents: 3420 });
  },
);
