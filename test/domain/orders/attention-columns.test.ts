import anyTest, { type TestFn } from 'ava';

import { readOne, transact } from '#src/database/transact.ts';
import { lockOrder, type Order, readManagedOrder, saveOrder } from '#src/domain/orders/index.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const change = ({ ctx }: TestContext, id: string, work: (order: Order) => void) =>
  transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, id);
    if (order) work(order);
    if (order) await saveOrder(ctx, order);
  });

const write = ({ ctx }: TestContext, id: string, values: Sql) =>
  transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
  update orders set ${values} where tenant_id = ${ctx.tenant.id} and id = ${id}`),
  );

const columnsOf = ({ ctx }: TestContext, id: string) =>
  readOne(
    ctx,
    sql`
  select attention_code, attention_detail from orders where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );

test('a process of the release before reads the attentions of this one in its two columns', async (t) => {
  const { id } = await buildPaidOrder(t.context.ctx);
  await change(t.context, id, (order) => {
    order.raise({ code: 'oversold', detail: 'Too few.' });
    order.raise({ code: 'disputed', detail: 'The bank asks: why?' });
  });
  t.deepEqual(await columnsOf(t.context, id), {
    attention_code: 'disputed',
    attention_detail: 'The bank asks: why?\noversold: Too few.',
  });
  await change(t.context, id, (order) => order.withdraw('oversold', 'disputed'));
  t.deepEqual(await columnsOf(t.context, id), { attention_code: null, attention_detail: null });
});

test('the attentions that a process of the release before writes are those of this one', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await write(
    t.context,
    id,
    sql`attention_code = 'paid_twice', attention_detail = ${'Two: payments.\ndisputed: The bank asks: why?'}`,
  );
  t.deepEqual((await readManagedOrder(ctx, id))?.attentions, [
    { code: 'paid_twice', detail: 'Two: payments.' },
    { code: 'disputed', detail: 'The bank asks: why?' },
  ]);
  await write(t.context, id, sql`attention_code = null, attention_detail = null`);
  t.deepEqual((await readManagedOrder(ctx, id))?.attentions, []);
});
