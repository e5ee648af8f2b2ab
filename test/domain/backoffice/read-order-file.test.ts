import { isDeepStrictEqual } from 'node:util';
import anyTest, { type TestFn } from 'ava';

import { writeRows } from '#src/database/transact.ts';
import { presentManagedOrder, readOrderFile } from '#src/domain/backoffice/index.ts';
import type { Context } from '#src/domain/context.ts';
import { listManagedOrders } from '#src/domain/orders/index.ts';
import { approveReturn, closeReturn, receiveReturn, rejectReturn, requestReturn } from '#src/domain/returns/index.ts';
import { cancelShipment, markFulfilled } from '#src/domain/shipping/index.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildPaidOrder, type GivenOrder } from '#test/support/factories/orders.ts';
import { buildReturnableOrder } from '#test/support/factories/returns.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const bowlAndCourse = [
  { name: 'Bowl', quantity: 3 },
  { name: 'Course', ships: false },
  { name: 'Plate', quantity: 2 },
] as const satisfies GivenOrder['items'];

/** What is packed of an order, by itself and in a list. */
async function packed(ctx: Context, orderId: string): Promise<[string, number][]> {
  const { packing_list: list } = await readOrderFile(ctx, orderId);
  const { rows } = await listManagedOrders(ctx, { q: orderId });
  if (!isDeepStrictEqual(rows.map(presentManagedOrder)[0]?.packing_list, list)) throw new Error('The list differs.');
  return list.map(({ name, quantity }) => [name, quantity]);
}

const returnBowls = (
  ctx: Context,
  { order_number: orderNumber, items }: { order_number: string; items: { id: string }[] },
  quantity: number,
) =>
  requestReturn(ctx, {
    orderNumber,
    email: 'ada@example.com',
    items: [{ order_item_id: items[0]?.id ?? '', quantity }],
  });

test('readOrderFile packs what ships, and names it as it was sold', async (t) => {
  const { ctx } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [...bowlAndCourse] });
  const { packing_list: list } = await readOrderFile(ctx, order.id);
  t.deepEqual(list, [
    { order_item_id: order.items[0]?.id, sku: 'BOWL-S', name: 'Bowl', quantity: 3 },
    { order_item_id: order.items[2]?.id, sku: 'BOWL-S', name: 'Plate', quantity: 2 },
  ]);
});

test('readOrderFile packs nothing of an order that is not paid, is refunded or does not ship', async (t) => {
  const { ctx } = t.context;
  const unsent: GivenOrder[] = [{ status: 'pending' }, { status: 'refunded' }, { items: [{ ships: false }] }];
  for (const given of unsent) {
    const { id } = await buildPaidOrder(ctx, given);
    t.deepEqual(await packed(ctx, id), [], JSON.stringify(given));
  }
});

test.serial('readOrderFile packs what is in no return that was approved before it shipped', async (t) => {
  const { ctx, clock } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [...bowlAndCourse] });
  const one = await returnBowls(ctx, order, 1);
  t.deepEqual(
    await packed(ctx, order.id),
    [
      ['Bowl', 3],
      ['Plate', 2],
    ],
    'requested',
  );
  await approveReturn(ctx, { returnId: one.id });
  t.deepEqual(
    await packed(ctx, order.id),
    [
      ['Bowl', 2],
      ['Plate', 2],
    ],
    'approved',
  );
  const two = await returnBowls(ctx, order, 2);
  await approveReturn(ctx, { returnId: two.id });
  t.deepEqual(await packed(ctx, order.id), [['Plate', 2]], 'all of an item');
  await closeReturn(ctx, { returnId: two.id });
  t.deepEqual(
    await packed(ctx, order.id),
    [
      ['Bowl', 2],
      ['Plate', 2],
    ],
    'given up again',
  );
  await rejectReturn(ctx, { returnId: (await returnBowls(ctx, order, 1)).id });
  t.deepEqual(
    await packed(ctx, order.id),
    [
      ['Bowl', 2],
      ['Plate', 2],
    ],
    'rejected',
  );

  const three = await returnBowls(ctx, order, 1);
  clock.pass(minutes(1));
  await writeRows(
    ctx,
    sql`update orders set fulfillment_status = 'shipped', shipped_at = ${clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = ${order.id} returning id`,
  );
  clock.pass(minutes(1));
  for (const { id: returnId } of [three, await returnBowls(ctx, order, 1)]) {
    await approveReturn(ctx, { returnId });
    await receiveReturn(ctx, { returnId });
    await closeReturn(ctx, { returnId });
  }
  t.deepEqual(
    await packed(ctx, order.id),
    [
      ['Bowl', 2],
      ['Plate', 2],
    ],
    'approved after it had shipped',
  );
});

test.serial(
  'readOrderFile keeps out of the parcel what was returned before it shipped and given up since',
  async (t) => {
    const { ctx, clock } = t.context;
    const order = await buildReturnableOrder(ctx, { items: [...bowlAndCourse] });
    const { id: returnId } = await returnBowls(ctx, order, 1);
    await approveReturn(ctx, { returnId });
    clock.pass(minutes(1));
    await markFulfilled(ctx, { orderId: order.id });
    const sent = [
      ['Bowl', 2],
      ['Plate', 2],
    ];
    t.deepEqual(await packed(ctx, order.id), sent);
    clock.pass(minutes(1));
    await closeReturn(ctx, { returnId });
    t.deepEqual(await packed(ctx, order.id), sent, 'it was not in the parcel');
    await cancelShipment(ctx, { orderId: order.id });
    t.deepEqual(
      await packed(ctx, order.id),
      [
        ['Bowl', 3],
        ['Plate', 2],
      ],
      'it is to be sent',
    );
  },
);
