import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';

import { sendMail } from '#jobs/emails.ts';
import { issueRefund } from '#jobs/payments.ts';
import { transact, write, writeRows } from '#src/database/transact.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import type { Context } from '#src/domain/context.ts';
import { type OrderView, readOrder } from '#src/domain/orders/index.ts';
import { refundsOf } from '#src/domain/payments/index.ts';
import { redeemGiftCard } from '#src/domain/promotions/index.ts';
import {
  approveReturn,
  closeReturn,
  listReturns,
  presentReturn,
  readReturns,
  receiveReturn,
  refundReturn,
  rejectReturn,
  requestReturn,
} from '#src/domain/returns/index.ts';
import { readReturn } from '#src/domain/returns/read-returns.ts';
import { renderObjects } from '#src/domain/webhooks/render-object.ts';
import { days, minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { balanceOf, buildGiftCard } from '#test/support/factories/promotions.ts';
import {
  buildReturn,
  buildReturnableOrder,
  newestReturnMailOf,
  returnedOf,
  returnMailsOf,
} from '#test/support/factories/returns.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const email = 'ada@example.com';
const reasonOf = (error: unknown) =>
  error instanceof DomainError ? (error.extensions['reason'] ?? error.code) : error;

test('requestReturn records the return and emails the shopper', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ name: 'Bowl', quantity: 3 }, { name: 'Plate' }] });
  const [bowl] = order.items;
  const made = await requestReturn(ctx, {
    orderNumber: ` #${order.order_number.replace('ORD-', '')} `,
    email: ' Ada@Example.com ',
    items: [{ order_item_id: bowl?.id ?? '', quantity: 2, reason: 'too_small', note: 'A little.' }],
  });
  t.deepEqual(presentReturn(made), {
    id: made.id,
    number: 'RMA-1001',
    order_id: order.id,
    order_number: order.order_number,
    status: 'requested',
    version: 1,
    created_at: made.createdAt.toISOString(),
    items: [
      {
        order_item_id: bowl?.id,
        variant_id: bowl?.variant_id,
        name: 'Bowl',
        quantity: 2,
        reason: 'too_small',
        note: 'A little.',
      },
    ],
  });
  t.deepEqual(await returnedOf(ctx, order.id), [2, 0]);
  t.deepEqual(await recorded(ctx, made.id), ['return.requested']);
  t.deepEqual(await returnMailsOf(ctx, made.id), [{ status: 'requested', note: null, recipient: email }]);
});

test('return numbers rise from 1001 in each store, without gaps or duplicates', async (t) => {
  const { ctx, services } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 20 }] });
  const items = [{ order_item_id: order.items[0]?.id ?? '', quantity: 1 }];
  const request = (orderNumber = order.order_number) => requestReturn(ctx, { orderNumber, email, items });
  const made = await Promise.all([request(), request('ORD-0').catch(() => undefined), request(), request(), request()]);
  t.deepEqual(made.flatMap((record) => record?.number ?? []).toSorted(), [1001, 1002, 1003, 1004]);
  t.is((await buildReturn({ ...ctx, tenant: await buildTenant(services) })).number, 1001);
});

test('concurrent requests never return more than was bought', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 7 }, { quantity: 5 }] });
  const [first, second] = order.items.map(({ id }) => id);
  const requested = Array.from({ length: 30 }, (_, index) =>
    requestReturn(ctx, {
      orderNumber: order.order_number,
      email,
      items: [
        { order_item_id: first ?? '', quantity: 2 },
        { order_item_id: second ?? '', quantity: 1 + (index % 2) },
      ],
    }).then(() => 'made', reasonOf),
  );
  const outcomes = await Promise.all(requested);

  t.deepEqual([...new Set(outcomes)].toSorted(), ['made', 'quantity_exceeded']);
  const { rows } = await listReturns(ctx, { limit: 100 });
  const sums = [first, second].map((id) =>
    rows
      .flatMap(({ items }) => items)
      .filter(({ orderItemId }) => orderItemId === id)
      .reduce((sum, { quantity }) => sum + quantity, 0),
  );
  t.deepEqual(await returnedOf(ctx, order.id), sums);
  t.is(rows.length, outcomes.filter((outcome) => outcome === 'made').length);
  t.true((sums[0] ?? 99) <= 7 && (sums[1] ?? 99) <= 5);
});

test('a variant is taken from the items of the order that have any left', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 2 }, { quantity: 1 }] });
  const [first, second] = order.items;
  await write(
    ctx,
    sql`same as (
    update order_items set variant_id = ${first?.variant_id} where tenant_id = ${ctx.tenant.id} and id = ${second?.id}
    returning id)`,
    sql`select id from same`,
  );
  const request = (quantity: number) =>
    requestReturn(ctx, {
      orderNumber: order.order_number,
      email,
      items: [{ variant_id: first?.variant_id ?? '', quantity }],
    });

  t.is(await request(4).catch(reasonOf), 'quantity_exceeded');
  const { items } = await request(3);
  t.deepEqual(
    items.map(({ orderItemId, quantity }) => [orderItemId, quantity]),
    [
      [first?.id, 2],
      [second?.id, 1],
    ],
  );
  t.is(await request(1).catch(reasonOf), 'quantity_exceeded');
});

test('an item that is named in several lines is summed', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 3 }] });
  const line = (quantity: number, reason: string) => ({ order_item_id: order.items[0]?.id ?? '', quantity, reason });
  const request = (...items: ReturnType<typeof line>[]) =>
    requestReturn(ctx, { orderNumber: order.order_number, email, items });
  t.is(await request(line(2, 'broken'), line(2, 'too_small')).catch(reasonOf), 'quantity_exceeded');
  const { items } = await request(line(2, 'broken'), line(1, 'too_small'));
  t.deepEqual(
    items.map(({ reason }) => reason),
    ['broken', 'too_small'],
  );
  t.deepEqual(await returnedOf(ctx, order.id), [3]);
});

test('requestReturn rejects unpaid orders, other items and wrong emails', async (t) => {
  const { ctx, services } = t.context;
  const order = await buildReturnableOrder(ctx);
  const pending = await buildReturnableOrder(ctx, { status: 'pending' });
  const refunded = await buildReturnableOrder(ctx, { status: 'refunded' });
  const partly = await buildReturnableOrder(ctx, { status: 'partially_refunded' });
  const request = (
    { order_number: orderNumber, items: [item] }: typeof order,
    more: { email?: string; id?: string } = {},
    on = ctx,
  ) =>
    requestReturn(on, {
      orderNumber,
      email: more.email ?? email,
      items: [{ order_item_id: more.id ?? item?.id ?? '', quantity: 1 }],
    }).then(({ status }) => status, reasonOf);

  t.is(await request(order, { email: 'eve@example.com' }), 'not_found');
  t.is(await request({ ...order, order_number: 'ORD-0' }), 'not_found');
  t.is(await request(order, {}, { ...ctx, tenant: await buildTenant(services) }), 'not_found');
  t.is(await request(pending), 'not_paid');
  t.is(await request(refunded), 'refunded');
  t.is(await request(order, { id: pending.items[0]?.id ?? '' }), 'not_bought');
  const unnamed = { orderNumber: order.order_number, email, items: [{ quantity: 1 }] };
  t.is(reasonOf(await requestReturn(ctx, unnamed).catch((error) => error)), 'invalid_request');
  t.is(await request(partly), 'requested');
  t.deepEqual(await returnedOf(ctx, order.id), [0]);
});

test('an order can be returned within 30 days of its delivery, or of its payment where that is unknown', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 9 }] });
  const at = (milliseconds: number) => {
    const now = new Date(ctx.clock.now().getTime() + milliseconds);
    const later = { ...ctx, clock: { now: () => now } };
    const items = [{ order_item_id: order.items[0]?.id ?? '', quantity: 1 }];
    return requestReturn(later, { orderNumber: order.order_number, email, items }).then(
      ({ status }) => status,
      reasonOf,
    );
  };
  t.is(await at(days(30) - minutes(1)), 'requested');
  t.is(await at(days(30) + minutes(1)), 'window_closed');

  const delivered = new Date(ctx.clock.now().getTime() + days(10));
  await write(
    ctx,
    sql`come as (
    update orders set delivered_at = ${delivered} where tenant_id = ${ctx.tenant.id} and id = ${order.id}
    returning id)`,
    sql`select id from come`,
  );
  t.is(await at(days(40) - minutes(1)), 'requested');
  t.is(await at(days(40) + minutes(1)), 'window_closed');
});

test('each step of a return is recorded and emailed once', async (t) => {
  const { ctx } = t.context;
  const { id: returnId } = await buildReturn(ctx);
  t.is((await approveReturn(ctx, { returnId, note: 'Use the box it came in.' })).status, 'approved');
  t.is((await approveReturn(ctx, { returnId })).status, 'approved');
  await receiveReturn(ctx, { returnId });
  await refundReturn(ctx, { returnId });
  const closed = await closeReturn(ctx, { returnId });

  t.like(closed, { status: 'closed', version: 5 });
  t.deepEqual(await recorded(ctx, returnId), ['return.requested', ...Array<string>(4).fill('return.updated')]);
  t.deepEqual(
    (await returnMailsOf(ctx, returnId)).map(({ status, note }) => [status, note]),
    [
      ['requested', null],
      ['approved', 'Use the box it came in.'],
      ['received', null],
      ['refunded', null],
      ['closed', null],
    ],
  );
  const { rows } = await listAudit(ctx, { limit: 10, subjectKind: 'return', subjectId: returnId });
  t.deepEqual(
    rows.map(({ action }) => action),
    ['return.closed', 'return.refunded', 'return.received', 'return.approved'],
  );
});

test('the items of a rejected return can be returned again', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 2 }] });
  const { id: returnId } = await buildReturn(ctx, order);
  t.deepEqual(await returnedOf(ctx, order.id), [2]);
  await Promise.all([
    rejectReturn(ctx, { returnId }),
    rejectReturn(ctx, { returnId }),
    rejectReturn(ctx, { returnId }),
  ]);
  t.deepEqual(await returnedOf(ctx, order.id), [0]);
  t.is((await returnMailsOf(ctx, returnId)).length, 2);
  t.is((await buildReturn(ctx, order)).status, 'requested');
});

test('closing releases the items of a return that never arrived, but not of one that was received', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 2 }] });
  const { id: lost } = await buildReturn(ctx, order);
  await approveReturn(ctx, { returnId: lost });
  await Promise.all([closeReturn(ctx, { returnId: lost }), closeReturn(ctx, { returnId: lost })]);
  t.deepEqual(await returnedOf(ctx, order.id), [0]);

  const { id: replaced } = await buildReturn(ctx, order);
  await approveReturn(ctx, { returnId: replaced });
  await receiveReturn(ctx, { returnId: replaced });
  await closeReturn(ctx, { returnId: replaced });
  t.deepEqual(await returnedOf(ctx, order.id), [2]);
});

test('of a concurrent approval and rejection, one succeeds', async (t) => {
  const { ctx } = t.context;
  for (let round = 0; round < 5; round += 1) {
    const order = await buildReturnableOrder(ctx);
    const { id: returnId } = await buildReturn(ctx, order);
    const outcomes = await Promise.all(
      [approveReturn, rejectReturn].map((decide) => decide(ctx, { returnId }).then(({ status }) => status, reasonOf)),
    );
    const { status } = (await readReturn(ctx, returnId)) ?? {};
    t.deepEqual(outcomes.toSorted(), [String(status), 'wrong_status'].toSorted());
    t.deepEqual(await returnedOf(ctx, order.id), [status === 'approved' ? 1 : 0]);
  }
});

test('any sequence of decisions follows the table of statuses', async (t) => {
  const { ctx } = t.context;
  const decisions = {
    approved: approveReturn,
    rejected: rejectReturn,
    received: receiveReturn,
    refunded: refundReturn,
    closed: closeReturn,
  };
  const ways: Record<string, readonly string[]> = {
    requested: ['approved', 'rejected'],
    approved: ['received', 'closed'],
    received: ['refunded', 'closed'],
    refunded: ['closed'],
    rejected: [],
    closed: [],
  };
  const steps = fc.array(fc.constantFrom(...(Object.keys(decisions) as (keyof typeof decisions)[])), { maxLength: 8 });
  await t.notThrowsAsync(
    fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const { id: returnId } = await buildReturn(ctx);
        let status = 'requested';
        for (const step of steps) {
          const outcome = await decisions[step](ctx, { returnId }).then((record) => record.status, reasonOf);
          const isAllowed = step === status || ways[status]?.includes(step);
          t.is(outcome, isAllowed ? step : 'wrong_status');
          if (isAllowed) status = step;
        }
      }),
      { numRuns: 15 },
    ),
  );
});

test("listReturns pages, filters by email and status, and shows only the store's own", async (t) => {
  const { ctx, services } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  const [first, second, third] = [await buildReturn(ctx), await buildReturn(ctx), await buildReturn(ctx)];
  const theirs = await buildReturn(other);
  await approveReturn(ctx, { returnId: second.id });

  const page = await listReturns(ctx, { limit: 2 });
  t.deepEqual(
    page.rows.map(({ id }) => id),
    [third.id, second.id],
  );
  const rest = await listReturns(ctx, { limit: 2, cursor: page.cursor ?? '' });
  t.deepEqual(
    rest.rows.map(({ id }) => id),
    [first.id],
  );
  t.is(rest.cursor, null);
  t.deepEqual(
    (await listReturns(ctx, { status: 'approved' })).rows.map(({ id }) => id),
    [second.id],
  );
  t.is((await listReturns(ctx, { email: ' ADA@example.com' })).rows.length, 3);
  t.is((await listReturns(ctx, { email: 'eve@example.com' })).rows.length, 0);
  await t.throwsAsync(listReturns(other, { cursor: page.cursor ?? '' }), { code: 'invalid_cursor' });

  t.is(await readReturn(ctx, theirs.id), undefined);
  t.deepEqual(
    (await readReturns(ctx, [first.id, theirs.id])).map(({ id }) => id),
    [first.id],
  );
  await t.throwsAsync(approveReturn(ctx, { returnId: theirs.id }), { code: 'not_found' });
});

test('webhooks carry the current return, with an increasing version', async (t) => {
  const { ctx, services } = t.context;
  const made = await buildReturn(ctx);
  const delivery = { id: 'whd_1', eventId: 'evt_1', type: 'return.updated', objectId: made.id } as Parameters<
    typeof renderObjects
  >[1][number];
  t.deepEqual((await renderObjects(ctx, [delivery])).get(made.id), {
    id: made.id,
    version: 1,
    object: presentReturn(made),
  });
  const approved = await approveReturn(ctx, { returnId: made.id });
  t.deepEqual((await renderObjects(ctx, [delivery])).get(made.id), {
    id: made.id,
    version: 2,
    object: presentReturn(approved),
  });
  t.is((await renderObjects({ ...ctx, tenant: await buildTenant(services) }, [delivery])).size, 0);
});

async function receivedReturn(ctx: Context, quantity: number, paymentId?: string) {
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 3 }, {}], ...(paymentId && { paymentId }) });
  const items = [{ order_item_id: order.items[0]?.id ?? '', quantity }];
  const { id: returnId } = await requestReturn(ctx, { orderNumber: order.order_number, email, items });
  await approveReturn(ctx, { returnId });
  await receiveReturn(ctx, { returnId });
  return { orderId: order.id, returnId };
}

const refundedOf = async (ctx: Context, orderId: string) =>
  (await refundsOf(ctx, orderId)).map(({ returnId, amountCents, state }) => ({ returnId, amountCents, state }));

test('refundReturn enqueues the refund with the decision, once', async (t) => {
  const { ctx } = t.context;
  const { orderId, returnId } = await receivedReturn(ctx, 2, 'pi_1');
  await refundReturn(ctx, { returnId });
  await refundReturn(ctx, { returnId });
  t.deepEqual(await refundedOf(ctx, orderId), [{ returnId, amountCents: 7600, state: 'requested' }]);
  t.is((await enqueuedJobs(ctx, issueRefund)).length, 1);
});

/** An order of three pieces that cost 130.00, including a cent of tax. */
async function buildTaxedOrder(ctx: Context): Promise<OrderView> {
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 3, unitPriceCents: 4333 }], paymentId: 'pi_1' });
  const taxed = sql`
    changed as (update orders set tax_cents = 1, total_cents = 13000
      where tenant_id = ${ctx.tenant.id} and id = ${order.id} returning id)`;
  await write(ctx, taxed, sql`select id from changed`);
  return order;
}

for (const quantities of [[3], [2, 1], [1, 2], [1, 1, 1]]) {
  test(`returns of ${quantities.join(' and ')} of three pieces refund all that was paid for them`, async (t) => {
    const { ctx } = t.context;
    const order = await buildTaxedOrder(ctx);
    for (const quantity of quantities) {
      const items = [{ order_item_id: order.items[0]?.id ?? '', quantity }];
      const { id: returnId } = await requestReturn(ctx, { orderNumber: order.order_number, email, items });
      for (const decide of [approveReturn, receiveReturn, refundReturn, closeReturn]) await decide(ctx, { returnId });
    }
    const refunded = (await refundsOf(ctx, order.id)).map(({ amountCents }) => amountCents);
    t.deepEqual(
      refunded.map((cents, index) => Math.abs(cents - 4333 * (quantities[index] ?? 0)) <= 1),
      quantities.map(() => true),
    );
    t.is(
      refunded.reduce((sum, cents) => sum + cents, 0),
      13_000,
    );
  });
}

test('a return refunds the same whatever else of its store is returned', async (t) => {
  const { ctx } = t.context;
  const beginReturn = async (order: OrderView, quantity: number) => {
    const wanted = [{ order_item_id: order.items[0]?.id ?? '', quantity }];
    return (await requestReturn(ctx, { orderNumber: order.order_number, email, items: wanted })).id;
  };
  const refundPieces = async (order: OrderView, quantity: number) => {
    const returnId = await beginReturn(order, quantity);
    for (const decide of [approveReturn, receiveReturn, refundReturn]) await decide(ctx, { returnId });
    return (await refundsOf(ctx, order.id)).map(({ amountCents }) => amountCents);
  };
  await buildOrderByCard(ctx, 5000);
  // A third of what was paid for three pieces, rounded down.
  t.deepEqual(await refundPieces(await buildTaxedOrder(ctx), 1), [4333]);
  const order = await buildTaxedOrder(ctx);
  await beginReturn(order, 1);
  t.deepEqual(await refundPieces(order, 2), [8666]);
});

test('a return refunds what was paid for its goods, without shipping and discount, as the provider can refund it', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, {
    items: [{ quantity: 3, unitPriceCents: 4000 }],
    paymentId: 'pi_1',
    currency: 'KWD',
  });
  // 12.000 for goods, less 1.500 for a code, and 2.000 for shipping.
  await writeRows(
    ctx,
    sql`update order_items set discount_cents = 1500, total_cents = 10500
      where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} returning id`,
  );
  await writeRows(
    ctx,
    sql`update orders set discount_cents = 1500, shipping_cents = 2000, tax_cents = 700, total_cents = 13200
      where tenant_id = ${ctx.tenant.id} and id = ${order.id} returning id`,
  );
  for (let piece = 0; piece < 3; piece += 1) {
    const items = [{ order_item_id: order.items[0]?.id ?? '', quantity: 1 }];
    const { id: returnId } = await requestReturn(ctx, { orderNumber: order.order_number, email, items });
    for (const decide of [approveReturn, receiveReturn, refundReturn]) await decide(ctx, { returnId });
  }
  t.deepEqual(
    (await refundsOf(ctx, order.id)).map(({ amountCents }) => amountCents).toSorted(),
    [3730, 3730, 3740],
    'a third of 11.200 each',
  );
});

test('refundReturn refunds the rest of what was sent for the return before', async (t) => {
  const { ctx } = t.context;
  const { orderId, returnId } = await receivedReturn(ctx, 1, 'pi_1');
  await writeRows(
    ctx,
    sql`insert into payment_refunds (tenant_id, id, order_id, return_id, state, amount_cents, requested_by, created_at, settled_at)
      values (${ctx.tenant.id}, ${newId('ref')}, ${orderId}, ${returnId}, 'sent', 800, 'owner', ${ctx.clock.now()},
        ${ctx.clock.now()})
      returning id`,
  );
  await refundReturn(ctx, { returnId });
  t.deepEqual((await refundsOf(ctx, orderId)).map(({ amountCents }) => amountCents).toSorted(), [3000, 800]);
  t.regex((await newestReturnMailOf(ctx, returnId)).text, /\$38\.00/);
});

/** An order of two pieces that cost 100.00, of which a gift card paid a part. */
async function buildOrderByCard(ctx: Context, cardCents: number): Promise<{ order: OrderView; giftCardId: string }> {
  const order = await buildReturnableOrder(ctx, {
    items: [{ quantity: 2, unitPriceCents: 5000 }],
    ...(cardCents < 10_000 && { paymentId: newId('pay') }),
  });
  const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 10_000 });
  const paid = sql`
    changed as (update orders set gift_card_cents = ${cardCents}, total_cents = ${10_000 - cardCents}
      where tenant_id = ${ctx.tenant.id} and id = ${order.id} returning id)`;
  await write(ctx, paid, sql`select id from changed`);
  const redemption = { giftCardId, amountCents: cardCents, orderId: order.id, isHeld: false };
  if (cardCents > 0) await transact(ctx, (ctx) => redeemGiftCard(ctx, redemption));
  return { order, giftCardId };
}

for (const cardCents of [0, 1, 3000, 5000, 7000, 10_000]) {
  for (const quantities of [[2], [1, 1]]) {
    test(`returns of ${quantities.join(' and ')} pieces of 5000 cents refund money before the ${cardCents} on a card`, async (t) => {
      const { ctx } = t.context;
      const { order, giftCardId } = await buildOrderByCard(ctx, cardCents);
      const moneyCents = 10_000 - cardCents;
      let expected = 0;
      for (const quantity of quantities) {
        const items = [{ order_item_id: order.items[0]?.id ?? '', quantity }];
        const { id: returnId } = await requestReturn(ctx, { orderNumber: order.order_number, email, items });
        for (const decide of [approveReturn, receiveReturn]) await decide(ctx, { returnId });
        const tooMuch = { returnId, amountCents: 10_000 - expected + 1 };
        await t.throwsAsync(refundReturn(ctx, tooMuch), { instanceOf: DomainError }, 'more than is left');
        await refundReturn(ctx, { returnId });
        expected += 5000 * quantity;

        const money = (await refundsOf(ctx, order.id)).reduce((sum, { amountCents }) => sum + amountCents, 0);
        t.is(money, Math.min(expected, moneyCents));
        t.is((await balanceOf(ctx, giftCardId))?.balance, 10_000 - cardCents + expected - money);
        if (moneyCents > 0) continue;
        const mail = await newestReturnMailOf(ctx, returnId);
        t.regex(mail.text, /is on the card again/);
        t.notRegex(mail.subject + mail.text, /money|bank/);
        // No provider is asked, so the order changes at once.
        const status = expected < 10_000 ? 'partially_refunded' : 'refunded';
        t.like(await readOrder(ctx, order.id), { status, payment_status: status });
      }
      const refunds = moneyCents > 0 ? [] : quantities.map(() => 'order.refunded');
      t.deepEqual(await recorded(ctx, order.id), refunds);
    });
  }
}

test('refundReturn refunds a given amount, or nothing where it was refunded in another way', async (t) => {
  const { ctx } = t.context;
  const some = await receivedReturn(ctx, 2, 'pi_1');
  t.is(
    reasonOf(await refundReturn(ctx, { returnId: some.returnId, amountCents: 15_201 }).catch((error) => error)),
    'invalid_request',
  );
  t.is((await readReturn(ctx, some.returnId))?.status, 'received');
  await refundReturn(ctx, { returnId: some.returnId, amountCents: 500 });
  t.like(await refundedOf(ctx, some.orderId), only({ amountCents: 500 }));
  const mail = await newestReturnMailOf(ctx, some.returnId);
  for (const said of [/Quantity 2/, /Refund:?\s*(<[^>]+>\s*)*\$5\.00/]) {
    t.regex(mail.text, said);
    t.regex(mail.html, said);
  }

  const none = await receivedReturn(ctx, 1, 'pi_2');
  t.is((await refundReturn(ctx, { returnId: none.returnId, amountCents: 0 })).status, 'refunded');
  t.deepEqual(await refundedOf(ctx, none.orderId), []);
  const { subject, text } = await newestReturnMailOf(ctx, none.returnId);
  t.regex(text, /Quantity 1/, 'it may be one of several');
  t.notRegex(text, /\$/);
  t.notRegex(subject + text, /money|bank|We have refunded/);
});

test('refundReturn rejects an order that was paid elsewhere, unless it was refunded there', async (t) => {
  const { ctx } = t.context;
  const { orderId, returnId } = await receivedReturn(ctx, 1);
  const imported = sql`
    changed as (update orders set number = null, imported_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = ${orderId} returning id)`;
  await write(ctx, imported, sql`select id from changed`);
  const mailsBefore = (await enqueuedJobs(ctx, sendMail)).length;
  for (const amountCents of [undefined, 300])
    t.is(reasonOf(await refundReturn(ctx, { returnId, amountCents }).catch((error) => error)), 'not_paid');
  t.is((await readReturn(ctx, returnId))?.status, 'received');
  t.is((await enqueuedJobs(ctx, sendMail)).length, mailsBefore);
  t.is((await refundReturn(ctx, { returnId, amountCents: 0 })).status, 'refunded');
});
