import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { correctEmail } from '#src/domain/backoffice/index.ts';
import { restoreCart } from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import { listReminderDecisions } from '#src/domain/reminders/index.ts';
import { days, hours } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { restoreTokenOf } from '#test/support/factories/cart.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildRemindedCart, decideAll, decisionsOf, remindAnytime } from '#test/support/factories/reminders.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const later = (ctx: Context, milliseconds: number): Context => {
  const now = new Date(ctx.clock.now().getTime() + milliseconds);
  return { ...ctx, clock: { now: () => now } };
};

const recoveredBy = async (ctx: Context, email: string) =>
  (await listReminderDecisions(ctx, { email })).rows[0]?.recoveredOrderId;

test('a corrected email stops the reminders of the cart that the order bought, and no others', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const [bought, other] = [await buildRemindedCart(ctx), await buildRemindedCart(ctx)];
  const { id: orderId } = await buildPaidOrder(later(ctx, hours(0.1)), { email: `typo-${bought.email}` });
  await correctEmail(later(ctx, hours(0.2)), { orderId, email: bought.email.toUpperCase() });
  await decideAll(later(ctx, hours(1)));
  t.deepEqual(await decisionsOf(ctx, bought.email), Array(3).fill('skipped: purchased'));
  t.is((await decisionsOf(ctx, other.email))[0], 'sent');
  await t.throwsAsync(restoreCart(ctx, await restoreTokenOf(ctx, bought.cart.id)), { code: 'saved_cart_gone' });
  t.is(await recoveredBy(ctx, bought.email), null, 'no reminder led to it');
});

test('a corrected email does not stop the reminders of a cart that was saved after the order was paid', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const email = newAddress();
  const { id: orderId } = await buildPaidOrder(ctx, { email: `typo-${email}` });
  await buildRemindedCart(later(ctx, 1), { email });
  await correctEmail(later(ctx, hours(0.2)), { orderId, email });
  t.deepEqual(await decisionsOf(ctx, email), Array(3).fill('scheduled'));
});

test('a corrected email of an order that is not paid, or is a renewal, stops no reminders', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const { email } = await buildRemindedCart(ctx);
  const [{ id: pending }, { id: renewal }] = [
    await buildPaidOrder(later(ctx, 1), { email: `typo-${email}`, status: 'pending' }),
    await buildPaidOrder(later(ctx, 1), { email: `typo-${email}` }),
  ];
  await transact(ctx, ({ tx, tenant, clock }) =>
    tx.execute(sql`
      insert into payment_invoices (tenant_id, id, order_id, created_at)
      values (${tenant.id}, ${newId('evt')}, ${renewal}, ${clock.now()})`),
  );
  for (const orderId of [pending, renewal]) await correctEmail(later(ctx, hours(0.2)), { orderId, email });
  t.deepEqual(await decisionsOf(ctx, email), Array(3).fill('scheduled'));
});

test('a cart counts as recovered by an order with a corrected email if it was opened in the week before it was paid', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const [before, long, after] = [
    await buildRemindedCart(ctx),
    await buildRemindedCart(ctx),
    await buildRemindedCart(ctx),
  ];
  const open = async (ctx: Context, id: string) => restoreCart(ctx, await restoreTokenOf(ctx, id));
  const orderOf = (ctx: Context, email: string) => buildPaidOrder(ctx, { email: `typo-${email}` });
  await open(ctx, before.cart.id);
  await open(ctx, long.cart.id);
  const orders = [
    await orderOf(later(ctx, days(6)), before.email),
    await orderOf(later(ctx, days(8)), long.email),
    await orderOf(later(ctx, days(1)), after.email),
  ];
  await open(later(ctx, days(2)), after.cart.id);
  const now = later(ctx, days(9));
  for (const [index, { email }] of [before, long, after].entries())
    await correctEmail(now, { orderId: orders[index]?.id ?? '', email });
  const recovered = await Promise.all([before, long, after].map(({ email }) => recoveredBy(ctx, email)));
  t.deepEqual(recovered, [orders[0]?.id, null, null]);
});
