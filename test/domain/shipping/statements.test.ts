import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { requestLabel } from '#src/domain/shipping/index.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { labelOf, request, run, withFake } from './support.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test.serial('a label costs the database so many statements and no more', async (t) => {
  const { services } = t.context;
  const { ctx } = withFake(t.context.ctx);
  await buildShippingAccount(ctx);
  const order = await buildPaidOrder(ctx);
  const counted = await countStatements(services, () =>
    transact(ctx, (ctx) => requestLabel(ctx, { orderId: order.id })),
  );
  t.is(counted.statements.length, 3, counted.statements.join('\n'));

  const requested = await request(ctx);
  const bought = await countStatements(services, () => run(ctx, requested.order.id, 1));
  t.is((await labelOf(ctx, requested.order.id)).state, 'purchased');
  t.is(bought.statements.length - 1, 13, bought.statements.join('\n'));
});
