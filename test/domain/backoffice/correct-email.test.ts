import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { correctEmail } from '#src/domain/backoffice/index.ts';
import { restoreCart } from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import { listCustomers } from '#src/domain/customers/index.ts';
import { failMail } from '#src/domain/mail/index.ts';
import { listManagedOrders } from '#src/domain/orders/index.ts';
import { listReminderDecisions } from '#src/domain/reminders/index.ts';
import { days, hours } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { restoreTokenOf } from '#test/support/factories/cart.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildMail, newAddress, orderMail } from '#test/support/factories/mail.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildRemindedCart, decideAll, decisionsOf, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildReturn, buildReturnableOrder } from '#test/support/factories/returns.ts';

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

test('emails of an order that were not sent go to its corrected email, and those that were, or its gift, as before', async (t) => {
  const { ctx } = t.context;
  const [typo, email] = [newAddress(), newAddress()];
  const order = await buildPaidOrder(ctx, { email: typo });
  const other = await buildPaidOrder(ctx, { email: typo });
  const { id: returnId } = await buildReturn(ctx, await buildReturnableOrder(ctx));
  await transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`update returns set order_id = ${order.id} where tenant_id = ${tenant.id} and id = ${returnId}`),
  );
  const about = { to: typo, subjectId: order.id };
  const gift = { product_name: 'Bowl', months: 3, recipient_name: null, giver_name: null, message: null };
  const update = { return_number: 'RMA-1001', order_number: order.orderNumber, status: 'approved', items: [] } as const;
  const ids = [
    await buildMail(ctx, { ...about, kind: 'receipt', data: orderMail() }),
    await buildMail(ctx, { ...about, kind: 'shipped', data: orderMail() }),
    await buildMail(ctx, { ...about, to: newAddress(), kind: 'return_update', subjectId: returnId, data: update }),
    await buildMail(ctx, { ...about, kind: 'gift', data: gift }),
    await buildMail(ctx, { ...about, kind: 'receipt', data: orderMail(), subjectId: other.id }),
    await buildMail(ctx, { ...about, kind: 'receipt', data: orderMail() }),
  ];
  await failMail(ctx, { mailId: ids[1] ?? '' });
  const execute = (statement: Sql) => transact(ctx, ({ tx }) => tx.execute<{ recipient: string }>(statement));
  await execute(sql`update mails set state = 'sent' where tenant_id = ${ctx.tenant.id} and id = ${ids.at(-1)}`);
  await correctEmail(ctx, { orderId: order.id, email });
  const mails = await execute(sql`
    select recipient from mails where tenant_id = ${ctx.tenant.id} and id = any(${ids})
    order by array_position(${ids}, id::text)`);
  t.deepEqual(
    mails.map(({ recipient }) => recipient),
    [email, email, email, typo, typo, typo],
  );
});

test("an order with a corrected email is found by its customer's name as before, which replaces no other", async (t) => {
  const { ctx } = t.context;
  const [typo, email, known] = [newAddress(), newAddress(), newAddress()];
  await buildCustomer(ctx, { email: typo, name: 'Zsófia Typó' });
  await buildCustomer(ctx, { email: known, name: 'Grace Known' });
  const orders = [await buildPaidOrder(ctx, { email: typo }), await buildPaidOrder(ctx, { email: typo })];
  for (const [index, corrected] of [email, known].entries())
    await correctEmail(ctx, { orderId: orders[index]?.id ?? '', email: corrected });
  const found = await Promise.all(['zsofia', 'grace'].map((q) => listManagedOrders(ctx, { q })));
  t.deepEqual(
    found.map(({ rows }) => rows.map(({ order }) => order.id)),
    orders.map(({ id }) => [id]),
  );
  const names = await Promise.all([email, known].map((email) => listCustomers(ctx, { email })));
  t.deepEqual(
    names.map(({ rows }) => rows.map(({ name }) => name)),
    [['Zsófia Typó'], ['Grace Known']],
  );
});
