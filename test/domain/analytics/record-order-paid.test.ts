import anyTest, { type TestFn } from 'ava';

import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { aggregateAll, buildEvent, rollUpsOf, sendEvents } from '#test/support/factories/analytics.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

test.serial("recordOrderPaid records one sale with the paid amount for the buyer's session", async (t) => {
  const { ctx, services, stripe } = t.context;
  const product = await buildProduct(ctx);
  await sendEvents(
    ctx,
    ['product_viewed', 'checkout_started', 'client_purchase'].map((type) =>
      buildEvent({ type, session_id: 'visit', value_cents: 1 }),
    ),
  );
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
    customer_email: 'ada@example.com',
    metadata: { session_id: 'visit' },
  });
  await aggregateAll(services);
  t.like(await rollUpsOf(ctx), { days: [{ viewed: 1, checkout: 1, paid: 0, orders: 0, revenue_cents: 0 }] });

  const { sessionId } = await sessionOf(ctx, orderId);
  await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
  t.true(await stripe.idle());
  await runJobs(services);
  await aggregateAll(services);
  const { totalCents } = await orderOf(ctx, orderId);
  t.like(await rollUpsOf(ctx), {
    days: [{ sessions: 1, viewed: 1, checkout: 1, paid: 1, orders: 1, revenue_cents: totalCents }],
  });
});
