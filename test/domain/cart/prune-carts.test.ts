import anyTest, { type TestFn } from 'ava';
import { pruneCarts } from '#jobs/retention.ts';
import { readOne } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import type { Context } from '#src/domain/context.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildCart, buildSavedCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const counts = (ctx: Context) =>
  readOne<{ carts: number; lines: number; saved: number }>(
    ctx,
    sql`
  select (select count(*) from carts where tenant_id = ${ctx.tenant.id})::int as carts,
    (select count(*) from cart_lines where tenant_id = ${ctx.tenant.id})::int as lines,
    (select count(*) from saved_carts where tenant_id = ${ctx.tenant.id})::int as saved`,
  );

test.serial('pruneCarts removes carts with their lines and emails a month after they expired', async (t) => {
  const { ctx, services, clock } = t.context;
  const { variant } = await buildProduct(ctx);
  await buildCart(ctx, [variant.id]);
  await buildSavedCart(ctx);
  clock.pass(days(59));
  await buildCart(ctx, [variant.id]);
  await prune(services.context(), pruneCarts);
  t.deepEqual(await counts(ctx), { carts: 2, lines: 2, saved: 1 });

  clock.pass(days(2));
  await prune(services.context(), pruneCarts);
  await prune(services.context(), pruneCarts);
  t.deepEqual(await counts(ctx), { carts: 1, lines: 1, saved: 0 });
});
