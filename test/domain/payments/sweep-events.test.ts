import anyTest, { type TestFn } from 'ava';
import { read } from '#src/database/transact.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { recorded } from '#test/support/enqueued-jobs.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

const ordersMade = 48;

test.serial('every paid session becomes one paid order when webhooks are lost, doubled and shuffled', async (t) => {
  const { ctx, services, stripe, clock } = t.context;
  await stripe.deliveries({ drop: 0.3, duplicate: 0.3, reorder: true, seed: 11 });
  const bowl = await buildProduct(ctx, { variants: [{ stock: 1000, ships: false }] });
  const beans = await buildProduct(ctx, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
    variants: [{ stock: 1000, ships: false }],
  });

  const made = new Map<string, 'paid' | 'processing' | 'abandoned'>();
  for (let index = 0; index < ordersMade; index += 1) {
    const items =
      index % 3 === 0
        ? [
            {
              product_slug: beans.slug,
              variant_id: beans.variant.id,
              quantity: 1,
              purchase_type: 'subscription' as const,
              subscription_interval: 'month',
            },
          ]
        : [{ product_slug: bowl.slug, quantity: 1 }];
    const { order_id: orderId } = await createCheckoutSession(ctx, { items });
    const fate = index % 8 === 7 ? 'abandoned' : index % 8 === 4 ? 'processing' : 'paid';
    made.set(orderId, fate);
    const { sessionId } = await sessionOf(ctx, orderId);
    if (fate !== 'abandoned')
      await stripe.pay(sessionId ?? '', { ...shopper, email: `shopper-${index}@example.com`, outcome: fate });
    if (index % 10 === 9) await runJobs(services);
  }
  await stripe.flush();
  for (const wait of [0, minutes(3), minutes(60), minutes(5), hours(3)]) {
    clock.pass(wait);
    await runJobs(services, { rounds: 60 });
  }
  for (const [orderId, fate] of made) {
    if (fate === 'processing') await stripe.settle((await sessionOf(ctx, orderId)).sessionId ?? '', 'succeeded');
  }
  await stripe.flush();
  clock.pass(days(1));
  await runJobs(services, { rounds: 60 });

  for (const [orderId, fate] of made) {
    const order = await orderOf(ctx, orderId);
    t.is(order.status, fate === 'abandoned' ? 'expired' : 'paid', `${order.orderNumber}, ${fate}`);
    t.deepEqual(
      await recorded(ctx, orderId),
      [fate === 'abandoned' ? 'order.expired' : 'order.paid'],
      order.orderNumber,
    );
  }
  const paid = (await ordersOf(ctx)).filter(({ status }) => status === 'paid').length;
  t.is(paid, ordersMade - 6);
  const [bowls, coffees] = [await stockOf(ctx, bowl.variant.id), await stockOf(ctx, beans.variant.id)];
  t.is((bowls.stock ?? 0) + (coffees.stock ?? 0), 2000 - paid);
  t.is(bowls.held + coffees.held, 0);
  t.is(
    (await subscriptionsOf(ctx)).length,
    [...made.values()].filter((fate, index) => index % 3 === 0 && fate !== 'abandoned').length,
  );
  const created = await read(
    ctx,
    sql`select 1 as one from events where tenant_id = ${ctx.tenant.id} and type = 'subscription.created'`,
  );
  t.is(created.length, (await subscriptionsOf(ctx)).length);
});
