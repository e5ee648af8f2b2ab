import anyTest, { type TestFn } from 'ava';

import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { type RecoveredPurchase, recoverPurchases, requestLabel } from '#src/domain/shipping/index.ts';
import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { loseWhatHappens } from '#test/support/lose-what-happens.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { labelOf, orderOf, request, run, withFake } from './support.ts';

/* The database goes back in time, and the shipping provider does not. */

const test = anyTest as TestFn<TestContext>;
useContext(test);

const recover = (ctx: Context, { dryRun = false } = {}) =>
  recoverPurchases(ctx, { since: new Date(ctx.clock.now().getTime() - hours(1)), dryRun });

test.serial(
  'labels that were bought after a backup are recorded once it is restored, and not bought again',
  async (t) => {
    const { ctx, shipping } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const { order: requested } = await request(ctx);
    const paidLater = await buildPaidOrder(ctx);
    let lost = '';
    await loseWhatHappens(t.context.services, async () => {
      await transact(ctx, (ctx) => requestLabel(ctx, { orderId: paidLater.id }));
      const { order } = await request(ctx);
      lost = order.orderNumber;
      for (const { id } of [requested, paidLater, order]) t.is(await run(ctx, id), 'done');
    });
    const [first, second] = shipping.bought();
    // Its payment is found again, and its label requested.
    await transact(ctx, (ctx) => requestLabel(ctx, { orderId: paidLater.id }));

    const expected: { orderNumber: string; result: RecoveredPurchase['result']; purchaseId?: string | undefined }[] = [
      { orderNumber: lost, result: 'unknown_order' },
      { orderNumber: paidLater.orderNumber, result: 'recorded', purchaseId: second?.id },
      { orderNumber: requested.orderNumber, result: 'recorded', purchaseId: first?.id },
    ];
    t.like(await recover(ctx, { dryRun: true }), only(...expected));
    t.is((await labelOf(ctx, requested.id)).state, 'queued');

    t.like(await recover(ctx), only(...expected));
    for (const [order, purchase] of [
      [requested, first],
      [paidLater, second],
    ] as const) {
      t.like(await labelOf(ctx, order.id), {
        state: 'purchased',
        purchaseId: purchase?.id,
        amountCents: 842,
        buyNumber: 1,
      });
      const { fulfillment, labels } = await orderOf(ctx, order.id);
      t.is(fulfillment, 'label_purchased');
      t.like(labels, only({ tracking_number: purchase?.trackingNumber }));
      t.is(await run(ctx, order.id), 'done');
    }
    t.is(shipping.bought().length, 3);
    const [{ count } = {}] = await read<{ count: number }>(
      ctx,
      sql`select count(*)::int as count from trackings where tenant_id = ${ctx.tenant.id}`,
    );
    t.is(count, 2, 'their parcels are followed');
    t.like(await recover(ctx), only({ orderNumber: lost, result: 'unknown_order' }));
  },
);

test.serial(
  'a label that was bought again after a backup was restored is reported, and neither is voided',
  async (t) => {
    const { ctx, shipping } = withFake(t.context.ctx);
    await buildShippingAccount(ctx);
    const { order } = await request(ctx);
    await loseWhatHappens(t.context.services, () => run(ctx, order.id));
    await run(ctx, order.id);
    const [first, second] = shipping.bought();
    t.like(await recover(ctx), only({ orderNumber: order.orderNumber, result: 'not_needed', purchaseId: first?.id }));
    t.is((await labelOf(ctx, order.id)).purchaseId, second?.id ?? '');
    t.deepEqual(shipping.refunded, []);
  },
);

test.serial('of two labels that were bought after a backup the newer one is recorded', async (t) => {
  const { ctx, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  await loseWhatHappens(t.context.services, () => run(ctx, order.id));
  await loseWhatHappens(t.context.services, () => run(ctx, order.id));
  const [first, second] = shipping.bought();
  t.like(
    await recover(ctx),
    only({ result: 'recorded', purchaseId: second?.id }, { result: 'not_needed', purchaseId: first?.id }),
  );
});

test.serial('an order that got the number of a lost one does not get its label', async (t) => {
  const { ctx, clock, shipping } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  let number = 0;
  await loseWhatHappens(t.context.services, async () => {
    const { order } = await request(ctx);
    ({ number } = order);
    await run(ctx, order.id);
  });
  clock.pass(hours(0.5));
  const { order } = await request(ctx, { number });
  t.like(await recover(ctx), only({ orderNumber: order.orderNumber, result: 'unknown_order' }));
  t.is((await labelOf(ctx, order.id)).state, 'queued');
  t.is(shipping.bought().length, 1);
});

test.serial(
  'what was bought for another store of the same account is no label of an order with its number',
  async (t) => {
    const { ctx, shipping } = withFake(t.context.ctx);
    const neighbour = { ...ctx, tenant: await buildTenant(t.context.services) };
    await buildShippingAccount(ctx);
    await buildShippingAccount(neighbour);
    const { order } = await request(ctx);
    const { order: theirs } = await request(neighbour, { number: order.number });
    const { order: unsent } = await request(neighbour);
    for (const { id } of [theirs, unsent]) t.is(await run(neighbour, id), 'done');

    t.deepEqual(await recover(ctx), []);
    t.is((await labelOf(ctx, order.id)).state, 'queued');
    t.is(shipping.bought().length, 2);
  },
);
