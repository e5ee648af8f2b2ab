import anyTest, { type TestFn } from 'ava';
import { transact, writeRows } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import {
  attributeOrder,
  calculateRetained,
  findPartner,
  partnerCodes,
  removePartner,
  savePartner,
  trackReferral,
} from '#src/domain/partners/index.ts';
import { readPartner } from '#src/domain/partners/managed-partners.ts';
import type { PaidOrder } from '#src/domain/partners/referrals.ts';
import { redeemGiftCard, returnGiftCard } from '#src/domain/promotions/index.ts';
import { days } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { attributionOf, buildPartner } from '#test/support/factories/partners.ts';
import { buildGiftCard } from '#test/support/factories/promotions.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const attribute = (ctx: Context, order: PaidOrder) => transact(ctx, (ctx) => attributeOrder(ctx, order));

test('saving a partner twice changes nothing, and a new name is one change', async (t) => {
  const { ctx } = t.context;
  const save = (name: string) =>
    transact(ctx, (ctx) =>
      savePartner(ctx, { code: 'Maker', name, commission_percent: 8, discount_percent: 0, window: '30d' }),
    );
  t.like(await save('The Maker Blog'), { subject: 'partner maker', action: 'created' });
  t.like(await save('The Maker Blog'), { action: 'unchanged', fields: [] });
  t.like(await save('The Maker'), { action: 'updated', fields: only('name') });
  t.like(await findPartner(ctx, ' MAKER '), { name: 'The Maker', commissionPercent: 8, windowMs: days(30) });
});

test('savePartner rejects a zero window with its path', async (t) => {
  const save = transact(t.context.ctx, (ctx) => savePartner(ctx, { code: 'maker', name: 'The Maker', window: '0s' }));
  const error = await t.throwsAsync(save, { code: 'invalid_request' });
  t.like(error, { extensions: { errors: only({ path: '/window' }) } });
});

test('savePartner accepts windows of a millisecond to ten years', async (t) => {
  const save = (window: string) =>
    transact(t.context.ctx, (ctx) => savePartner(ctx, { code: 'maker', name: 'The Maker', window }));
  for (const window of ['1ms', '3650d']) t.not((await save(window)).action, 'unchanged', window);
  await t.throwsAsync(save('3651d'), { code: 'invalid_request' });
});

test('an order within the window of a visit is attributed once, however often it is reported', async (t) => {
  const { ctx } = t.context;
  const partner = await buildPartner(ctx);
  const { referralId } = await trackReferral(ctx, {
    code: partner.code,
    sessionId: 'ses-1',
    landingUrl: 'https://shop.example/',
  });

  await attribute(ctx, { orderId: 'ord_1', sessionId: 'ses-1', totalCents: 1006 });
  await attribute(ctx, { orderId: 'ord_1', sessionId: 'ses-1', totalCents: 9999 });
  t.deepEqual(await attributionOf(ctx, 'ord_1'), { partnerId: partner.id, referralId, commissionCents: 80 });
});

test('visits of one session are one referral with the time of the last visit', async (t) => {
  const { ctx, clock } = t.context;
  const partner = await buildPartner(ctx, { window: '2d' });
  const begin = clock.now().getTime();
  const at = (milliseconds: number) => ({ ...ctx, clock: { now: () => new Date(begin + milliseconds) } });
  const first = await trackReferral(at(0), { code: partner.code, sessionId: 'ses-2' });
  t.deepEqual(await trackReferral(at(days(1)), { code: partner.code, sessionId: 'ses-2' }), first);

  await attribute(at(days(3) - 1), { orderId: 'ord_in_time', sessionId: 'ses-2', totalCents: 1000 });
  await attribute(at(days(3)), { orderId: 'ord_too_late', sessionId: 'ses-2', totalCents: 1000 });
  t.is((await attributionOf(ctx, 'ord_in_time'))?.partnerId, partner.id);
  t.is(await attributionOf(ctx, 'ord_too_late'), undefined);
});

test('the last visit wins, and a code at checkout takes precedence over visits', async (t) => {
  const { ctx, clock } = t.context;
  const [early, late, named] = await Promise.all([buildPartner(ctx), buildPartner(ctx), buildPartner(ctx)]);
  await trackReferral(ctx, { code: early.code, sessionId: 'ses-3' });
  const later = { ...ctx, clock: { now: () => new Date(clock.now().getTime() + 1000) } };
  await trackReferral(later, { code: late.code, sessionId: 'ses-3' });

  await attribute(later, { orderId: 'ord_visit', sessionId: 'ses-3', totalCents: 1000 });
  await attribute(later, {
    orderId: 'ord_code',
    sessionId: 'ses-3',
    partnerCode: named.code.toUpperCase(),
    totalCents: 1000,
  });
  await attribute(later, { orderId: 'ord_wrong_code', sessionId: 'ses-3', partnerCode: 'nobody', totalCents: 1000 });
  t.is((await attributionOf(ctx, 'ord_visit'))?.partnerId, late.id);
  t.is((await attributionOf(ctx, 'ord_code'))?.partnerId, named.id);
  t.is((await attributionOf(ctx, 'ord_wrong_code'))?.partnerId, late.id);
});

test('an order without a referral is not attributed', async (t) => {
  const { ctx } = t.context;
  await trackReferral(ctx, { code: (await buildPartner(ctx)).code, sessionId: 'ses-other' });
  await attribute(ctx, { orderId: 'ord_2', sessionId: 'ses-unknown', totalCents: 1000 });
  await attribute(ctx, { orderId: 'ord_3', totalCents: 1000 });
  t.is(await attributionOf(ctx, 'ord_2'), undefined);
  t.is(await attributionOf(ctx, 'ord_3'), undefined);
});

test('a partner of one store is not found at another', async (t) => {
  const { ctx, services } = t.context;
  const partner = await buildPartner(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  t.is(await findPartner(otherStore, partner.code), undefined);
  await t.throwsAsync(trackReferral(otherStore, { code: partner.code }), { code: 'not_found' });
});

test('a removed partner gets no further attributions, by code or by visit, and keeps earlier ones', async (t) => {
  const { ctx } = t.context;
  const partner = await buildPartner(ctx);
  await trackReferral(ctx, { code: partner.code, sessionId: 'ses-1' });
  const credit = (orderId: string, partnerCode?: string) =>
    transact(ctx, (ctx) => attributeOrder(ctx, { orderId, sessionId: 'ses-1', partnerCode, totalCents: 1000 }));
  await credit('ord_before');

  const removed = await transact(ctx, (ctx) => removePartner(ctx, ` ${partner.code.toUpperCase()} `));
  t.like(removed, { subject: `partner ${partner.code}`, action: 'removed', fields: [] });
  t.deepEqual(await partnerCodes(ctx), []);
  t.is(await findPartner(ctx, partner.code), undefined);
  await t.throwsAsync(trackReferral(ctx, { code: partner.code }), { instanceOf: DomainError, code: 'not_found' });
  await credit('ord_by_visit');
  await credit('ord_by_code', partner.code);
  t.deepEqual(
    [await attributionOf(ctx, 'ord_by_visit'), await attributionOf(ctx, 'ord_by_code')],
    [undefined, undefined],
  );
  t.is((await attributionOf(ctx, 'ord_before'))?.partnerId, partner.id);
});

test('removing a partner twice, or one who never was, changes nothing; saving brings back the same one', async (t) => {
  const { ctx } = t.context;
  const partner = await buildPartner(ctx);
  const remove = (code: string) => transact(ctx, (ctx) => removePartner(ctx, code));
  t.is((await remove(partner.code)).action, 'removed');
  t.is((await remove(partner.code)).action, 'unchanged');
  t.is((await remove('nobody')).action, 'unchanged');

  await transact(ctx, (ctx) => savePartner(ctx, { code: partner.code, name: 'The Maker Blog', commission_percent: 8 }));
  t.is((await findPartner(ctx, partner.code))?.id, partner.id);
});

const reversePayment = (ctx: Context, orderId: string, cause: string, number: number, cents: number) =>
  transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      insert into payment_reversals (tenant_id, order_id, cause, snapshot_number, amount_cents, at)
      values (${ctx.tenant.id}, ${orderId}, ${cause}, ${number}, ${cents}, ${ctx.clock.now()})`);
    await calculateRetained(ctx, orderId);
  });

/** A refund that was made from here, before the payment shows it. */
const sendRefund = (ctx: Context, orderId: string, cents: number, returnId: string | null) =>
  transact(ctx, ({ tx }) =>
    tx.execute(sql`
      insert into payment_refunds (tenant_id, id, order_id, return_id, state, amount_cents, requested_by, created_at,
        settled_at)
      values (${ctx.tenant.id}, ${newId('rfd')}, ${orderId}, ${returnId}, 'sent', ${cents}, 'owner',
        ${ctx.clock.now()}, ${ctx.clock.now()})`),
  );

test("a partner's sales and commission are without what was refunded or lost in a dispute", async (t) => {
  const { ctx } = t.context;
  const partner = await buildPartner(ctx, { commission_percent: 10 });
  const sales = async () => {
    const { orders, totalCents, commissionCents } = (await readPartner(ctx, partner.code)) ?? {};
    return [orders, totalCents, commissionCents];
  };
  const [paid, returned, lost] = [await buildPaidOrder(ctx), await buildPaidOrder(ctx), await buildPaidOrder(ctx)];
  for (const { id: orderId } of [paid, returned, lost]) {
    await attribute(ctx, { orderId, partnerCode: partner.code, totalCents: 3800 });
  }
  t.deepEqual(await sales(), [3, 11_400, 1140]);
  const reverse = (...given: [orderId: string, cause: string, number: number, cents: number]) =>
    reversePayment(ctx, ...given);
  await reverse(returned.id, 'refund', 1, 1900);
  t.deepEqual(await sales(), [3, 9500, 950]);
  await reverse(returned.id, 'refund', 2, 1900);
  await reverse(lost.id, 'dispute', 1, 3800);
  t.deepEqual(await sales(), [3, 3800, 380]);
  await reverse(returned.id, 'refund', 3, -1900);
  t.deepEqual(await sales(), [3, 5700, 570]);
});

for (const [refunded, amounts, sales, commission, returnId = null] of [
  ['nothing', [], 10_000, 1000],
  ['half of the goods with their tax', [5400], 5000, 500],
  ['all goods with their tax, but not the shipping', [10_800], 0, 0],
  ['everything', [11_800], 0, 0],
  ['the shipping alone', [1000], 10_000, 1000],
  ['as much as the shipping for a return', [1000], 9074, 907, 'ret_1'],
  ['the shipping and half of the goods', [1000, 5400], 5000, 500],
  ['the shipping and the rest', [1000, 10_800], 0, 0],
  ['the shipping twice', [1000, 1000], 9074, 907],
] as const satisfies [string, number[], number, number, string?][]) {
  test(`a partner earns 10 percent of 100 for goods, without tax and shipping, after a refund of ${refunded}`, async (t) => {
    const { ctx } = t.context;
    const partner = await buildPartner(ctx, { commission_percent: 10 });
    const { id: orderId } = await buildPaidOrder(ctx, { items: [{ unitPriceCents: 10_000 }] });
    await writeRows(
      ctx,
      sql`update orders set tax_cents = 800, shipping_cents = 1000, total_cents = 11800
        where tenant_id = ${ctx.tenant.id} and id = ${orderId} returning id`,
    );
    await attribute(ctx, { orderId, partnerCode: partner.code, totalCents: 10_000 });
    for (const [index, cents] of amounts.entries()) {
      await sendRefund(ctx, orderId, cents, returnId);
      await reversePayment(ctx, orderId, 'refund', index + 1, cents);
    }
    t.like(await readPartner(ctx, partner.code), { totalCents: sales, commissionCents: commission });
  });
}

test('a partner earns on what a gift card paid, without what was returned to it', async (t) => {
  const { ctx } = t.context;
  const partner = await buildPartner(ctx, { commission_percent: 10 });
  const earned = async () => (await readPartner(ctx, partner.code))?.commissionCents;
  const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 9000 });
  const { id: orderId } = await buildPaidOrder(ctx, { items: [{ unitPriceCents: 10_000 }] });
  await writeRows(
    ctx,
    sql`update orders set gift_card_cents = 6000, total_cents = 4000
      where tenant_id = ${ctx.tenant.id} and id = ${orderId} returning id`,
  );
  const { id: other } = await buildPaidOrder(ctx);
  for (const [id, amountCents] of [
    [orderId, 6000],
    [other, 3000],
  ] as const)
    await transact(ctx, (ctx) => redeemGiftCard(ctx, { giftCardId, orderId: id, amountCents, isHeld: false }));
  await attribute(ctx, { orderId, partnerCode: partner.code, totalCents: 10_000 });
  const returnToCard = (amountCents?: number) =>
    transact(ctx, async (ctx) => {
      await returnGiftCard(ctx, { orderId, ...(amountCents !== undefined && { amountCents }) });
      await calculateRetained(ctx, orderId);
    });
  t.is(await earned(), 1000);
  await returnToCard(1000);
  t.is(await earned(), 900);
  await reversePayment(ctx, orderId, 'refund', 1, 4000);
  t.is(await earned(), 500);
  await returnToCard();
  t.is(await earned(), 0);
});
