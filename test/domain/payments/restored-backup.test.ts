import anyTest, { type TestFn } from 'ava';
import { read } from '#src/database/transact.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { refundsOf, replayPayments, requestRefund } from '#src/domain/payments/index.ts';
import { approveReturn, receiveReturn, refundReturn, requestReturn } from '#src/domain/returns/index.ts';
import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { balanceOf, buildGiftCard } from '#test/support/factories/promotions.ts';
import { newestReturnMailOf } from '#test/support/factories/returns.ts';
import { loseWhatHappens } from '#test/support/lose-what-happens.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

/* The database goes back in time, and the payment provider does not. */

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

async function settle({ services, stripe }: StripeContext): Promise<void> {
  if (!(await stripe.idle())) throw new Error('Webhooks are stuck.');
  await runJobs(services);
}

/** An order of two pieces at 38.00 without shipping, paid with money and a gift card, of which one is to be returned. */
async function buyTwo(context: StripeContext, cardCents: number) {
  const { ctx, stripe } = context;
  const card = await buildGiftCard(ctx, { balanceCents: cardCents });
  const { slug, variant } = await buildProduct(ctx, { variants: [{ ships: false }] });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: slug, quantity: 2 }],
    customer_email: shopper.email,
    gift_card_code: card.code,
  });
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  await settle(context);
  const [item] = await read<{ id: string }>(
    ctx,
    sql`select id from order_items where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`,
  );
  const { orderNumber } = await orderOf(ctx, orderId);
  const items = [{ order_item_id: item?.id ?? '', quantity: 1 }];
  const { id: returnId } = await requestReturn(ctx, { orderNumber, email: shopper.email, items });
  await approveReturn(ctx, { returnId });
  await receiveReturn(ctx, { returnId });
  return { orderId, returnId, cardId: card.id, variantId: variant.id };
}

async function replay({ ctx, clock }: StripeContext): Promise<void> {
  await replayPayments(ctx, { since: new Date(clock.now().getTime() - hours(1)) }, { dryRun: false });
}

const refundedAtStripe = async ({ stripe, account }: StripeContext) =>
  (await stripe.account(account.secretKey)).charges.map((charge) => charge['amount_refunded']);

test.serial('a return that was refunded after a backup is not refunded again once it is restored', async (t) => {
  const { ctx, services } = t.context;
  const { orderId, returnId } = await buyTwo(t.context, 1000);
  await loseWhatHappens(services, async () => {
    await refundReturn(ctx, { returnId });
    await settle(t.context);
  });
  await replay(t.context);
  t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 3800 });
  t.like(await refundsOf(ctx, orderId), only({ returnId, state: 'sent', amountCents: 3800 }));

  await refundReturn(ctx, { returnId });
  await settle(t.context);
  t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 3800 });
  t.deepEqual(await refundedAtStripe(t.context), [3800]);
  t.regex((await newestReturnMailOf(ctx, returnId)).text, /\$38\.00/);
});

test.serial('of a return that was refunded after a backup, the card gets its part again, and no more', async (t) => {
  const { ctx, services } = t.context;
  // 30.00 of money, and 8.00 to the card.
  const { orderId, returnId, cardId, variantId } = await buyTwo(t.context, 4600);
  const { stock } = (await stockOf(ctx, variantId)) ?? {};
  await loseWhatHappens(services, async () => {
    await refundReturn(ctx, { returnId });
    await settle(t.context);
    t.like(await balanceOf(ctx, cardId), { balance: 800 });
  });
  await replay(t.context);
  t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 3000 });
  t.like(await balanceOf(ctx, cardId), { balance: 0 });
  t.is((await stockOf(ctx, variantId))?.stock, stock);

  await refundReturn(ctx, { returnId });
  await settle(t.context);
  t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 3000 });
  t.like(await balanceOf(ctx, cardId), { balance: 800 });
  t.deepEqual(await refundedAtStripe(t.context), [3000]);
});

test.serial('a refund that was requested after a backup is listed again once it is restored', async (t) => {
  const { ctx, services } = t.context;
  const { orderId } = await buyTwo(t.context, 1000);
  await loseWhatHappens(services, async () => {
    await requestRefund(ctx, { orderId, amountCents: 500, reason: 'scratched' });
    await settle(t.context);
  });
  await replay(t.context);
  await replay(t.context);
  t.like(await refundsOf(ctx, orderId), only({ returnId: null, state: 'sent', amountCents: 500, reason: null }));
  t.like(await orderOf(ctx, orderId), { status: 'partially_refunded', refundedCents: 500 });
});
