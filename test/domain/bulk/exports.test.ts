import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { exportKinds } from '#src/domain/bulk/exports/index.ts';
import type { Context } from '#src/domain/context.ts';
import { attributeOrder } from '#src/domain/partners/index.ts';
import { holdGiftCard, redeemGiftCard, returnGiftCard, saveGiftCard } from '#src/domain/promotions/index.ts';
import { stopReminders } from '#src/domain/reminders/index.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildWaiting } from '#test/support/factories/leads.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildRemindedCart } from '#test/support/factories/reminders.ts';
import { buildReturn, buildReturnableOrder } from '#test/support/factories/returns.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

/** What a store exports, of each kind. */
async function sell(ctx: Context): Promise<void> {
  const { id: productId, slug } = await buildProduct(ctx, { tags: ['wood', 'kitchen'], variants: [{}, {}] });
  await buildCustomer(ctx);
  await buildSubscription(ctx, { productId });
  const { cart } = await buildRemindedCart(ctx);
  const order = await buildReturnableOrder(ctx, { items: [{}, { name: 'Cup' }] });
  await buildReturn(ctx, order);
  const { code: partnerCode } = await buildPartner(ctx);
  await buildPromo(ctx);
  await buildWaiting(ctx, { productSlug: slug });
  const { id: giftCardId, code } = await buildGiftCard(ctx, { balanceCents: 5000 });
  const part = { giftCardId, amountCents: 400, orderId: order.id };
  await transact(ctx, async (ctx) => {
    await attributeOrder(ctx, { orderId: order.id, partnerCode, totalCents: 3800 });
    await holdGiftCard(ctx, part);
    await redeemGiftCard(ctx, part);
    await returnGiftCard(ctx, { orderId: order.id });
    await saveGiftCard(ctx, { code, balance_cents: 4000 }, { setBalance: true });
    await stopReminders(ctx, { orderId: order.id, paidAt: ctx.clock.now() }, [
      { id: cart.id, restoredAt: ctx.clock.now() },
    ]);
    await ctx.tx.execute(sql`
      insert into payment_reversals (tenant_id, order_id, cause, snapshot_number, amount_cents, at)
      values (${ctx.tenant.id}, ${order.id}, 'refund', 1, 500, ${ctx.clock.now()})`);
  });
}

/** Sums, which change with what is added. */
const sums = ['journal_days', 'analytics'];

for (const kind of exportKinds.filter(({ name }) => !sums.includes(name))) {
  test(`an export of ${kind.name} has the same row of each, whatever else the store has`, async (t) => {
    const { ctx } = t.context;
    const range = { from: null, to: null };
    const rowsOf = async () => {
      const rows = await read(ctx, kind.select(ctx, range));
      const objects = kind.selectObjects ? await read(ctx, kind.selectObjects(ctx, range)) : [];
      return [...rows, ...objects].map((row) => JSON.stringify(row));
    };
    await sell(ctx);
    const before = await rowsOf();
    t.true(before.length > 0);
    await sell(ctx);
    const after = await rowsOf();
    t.is(after.length, 2 * before.length);
    t.deepEqual(after.filter((row) => before.includes(row)).toSorted(), before.toSorted());
  });
}
