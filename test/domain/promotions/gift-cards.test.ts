import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import type { GiftCardAmount } from '#src/domain/promotions/gift-card-balance.ts';
import {
  disableGiftCard,
  holdGiftCard,
  quoteGiftCard,
  redeemGiftCard,
  releaseGiftCard,
  saveGiftCard,
} from '#src/domain/promotions/index.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { balanceOf, buildGiftCard } from '#test/support/factories/promotions.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const hold = (ctx: Context, amount: GiftCardAmount) => transact(ctx, (ctx) => holdGiftCard(ctx, amount));
const release = (ctx: Context, amount: GiftCardAmount) => transact(ctx, (ctx) => releaseGiftCard(ctx, amount));
const redeem = (ctx: Context, amount: GiftCardAmount & { orderId: string; isHeld?: boolean }) =>
  transact(ctx, (ctx) => redeemGiftCard(ctx, amount));

test('saveGiftCard keeps the balance of an existing card', async (t) => {
  const { ctx } = t.context;
  const save = (balance_cents: number, options = {}) =>
    transact(ctx, (ctx) => saveGiftCard(ctx, { code: 'ABCD-EFGH-JKLM-NPQR', balance_cents }, options));

  t.like(await save(5000), { subject: 'gift card …NPQR', action: 'created' });
  t.is((await save(9000)).action, 'unchanged');
  t.like(await quoteGiftCard(ctx, { code: 'abcd efgh jklmnpqr', orderTotalCents: 1200 }), {
    valid: true,
    last4: 'NPQR',
    currency: 'USD',
    balanceCents: 5000,
    appliedCents: 1200,
    remainingDueCents: 0,
    reason: null,
  });

  const card = await quoteGiftCard(ctx, { code: 'ABCDEFGHJKLMNPQR', orderTotalCents: 8000 });
  t.like(card, { appliedCents: 5000, remainingDueCents: 3000 });
  await hold(ctx, { giftCardId: card.giftCardId ?? '', amountCents: 2000 });
  t.like(await save(100, { setBalance: true }), { action: 'updated', fields: ['balance_cents'] });
  t.deepEqual(await balanceOf(ctx, card.giftCardId ?? ''), { balance: 2000, held: 2000 });
});

test('saveGiftCard stores no readable code', async (t) => {
  const { ctx } = t.context;
  const { code } = await buildGiftCard(ctx);
  const rows = await read<object>(ctx, sql`select * from gift_cards where tenant_id = ${ctx.tenant.id}`);
  t.is(rows.length, 1);
  t.false(JSON.stringify(rows).includes(code.replaceAll('-', '')));
});

test('holdGiftCard grants the whole balance to one of two concurrent checkouts', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 5000 });
  const requested = await Promise.allSettled([
    hold(ctx, { giftCardId, amountCents: 5000 }),
    hold(ctx, { giftCardId, amountCents: 5000 }),
  ]);
  const refused = requested.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.is(refused.length, 1);
  t.like(refused[0], { code: 'gift_card_not_applicable', extensions: { reason: 'in_use' } });
  t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 5000, held: 5000 });
});

test('redeemGiftCard deducts an order once, and releaseGiftCard frees its amount', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId, code } = await buildGiftCard(ctx, { balanceCents: 5000 });
  const amount = { giftCardId, amountCents: 3000 };
  await hold(ctx, amount);
  await release(ctx, amount);
  await hold(ctx, amount);
  t.true(await redeem(ctx, { ...amount, orderId: 'ord_1' }));
  t.true(await redeem(ctx, { ...amount, orderId: 'ord_1' }));
  t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 2000, held: 0 });
  t.like(await quoteGiftCard(ctx, { code, orderTotalCents: 2500 }), { appliedCents: 2000, remainingDueCents: 500 });
});

test('redeemGiftCard deducts an unheld amount from the free balance, or returns false', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId, code } = await buildGiftCard(ctx, { balanceCents: 5000 });
  await hold(ctx, { giftCardId, amountCents: 3000 });
  t.false(await redeem(ctx, { giftCardId, amountCents: 2001, orderId: 'ord_1', isHeld: false }));
  t.true(await redeem(ctx, { giftCardId, amountCents: 2000, orderId: 'ord_2', isHeld: false }));
  t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 3000, held: 3000 });

  await redeem(ctx, { giftCardId, amountCents: 3000, orderId: 'ord_3' });
  t.like(await quoteGiftCard(ctx, { code, orderTotalCents: 100 }), { valid: false, appliedCents: 0, reason: 'empty' });
});

test('disableGiftCard makes a card unknown to new checkouts and keeps its holds', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId, code } = await buildGiftCard(ctx);
  await hold(ctx, { giftCardId, amountCents: 1000 });
  const disable = () => transact(ctx, (ctx) => disableGiftCard(ctx, { giftCardId }));
  t.is((await disable()).action, 'updated');
  t.is((await disable()).action, 'unchanged');

  const unknown = await quoteGiftCard(ctx, { code: 'AAAA-AAAA-AAAA-AAAA', orderTotalCents: 100 });
  t.deepEqual(await quoteGiftCard(ctx, { code, orderTotalCents: 100 }), unknown);
  t.is(unknown.reason, 'not_applicable');
  await t.throwsAsync(hold(ctx, { giftCardId, amountCents: 1 }), { code: 'gift_card_not_applicable' });
  t.true(await redeem(ctx, { giftCardId, amountCents: 1000, orderId: 'ord_1' }));
  await t.throwsAsync(
    transact(ctx, (ctx) => disableGiftCard(ctx, { giftCardId: 'gift_none' })),
    { code: 'not_found' },
  );
});

test('quoteGiftCard does not find cards of another store', async (t) => {
  const { ctx, services } = t.context;
  const { id: giftCardId, code } = await buildGiftCard(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  t.is((await quoteGiftCard(otherStore, { code, orderTotalCents: 100 })).reason, 'not_applicable');
  await t.throwsAsync(hold(otherStore, { giftCardId, amountCents: 1 }), { code: 'gift_card_not_applicable' });
});

test('gift card balances stay consistent after random holds, releases and redemptions', async (t) => {
  const { ctx } = t.context;
  const steps = fc.array(
    fc.record({ end: fc.constantFrom('release', 'redeem', 'keep'), amountCents: fc.integer({ min: 1, max: 2000 }) }),
    { maxLength: 12 },
  );
  await t.notThrowsAsync(
    fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 5000 });
        const ended = await Promise.all(
          steps.map(async ({ end, amountCents }, index) => {
            const isHeld = await hold(ctx, { giftCardId, amountCents }).then(
              () => true,
              () => false,
            );
            if (isHeld && end === 'release') await release(ctx, { giftCardId, amountCents });
            if (isHeld && end === 'redeem') await redeem(ctx, { giftCardId, amountCents, orderId: `ord_${index}` });
            return {
              used: isHeld && end === 'redeem' ? amountCents : 0,
              held: isHeld && end === 'keep' ? amountCents : 0,
            };
          }),
        );
        const used = ended.reduce((sum, step) => sum + step.used, 0);
        const held = ended.reduce((sum, step) => sum + step.held, 0);
        t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 5000 - used, held });
      }),
      { numRuns: 20 },
    ),
  );
});
