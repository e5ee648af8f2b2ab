import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { changeStock } from '#src/domain/catalog/change-stock.ts';
import { captureStock, holdStock, type StockLine } from '#src/domain/catalog/index.ts';
import type { InTransaction } from '#src/domain/context.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countLockWaits } from '#test/support/count-lock-waits.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test, { environment: { DATABASE_POOL_MAX: '8' } });

type Work = (ctx: InTransaction) => Promise<unknown>;

/** What refers to a variant while others move its stock. */
const referring: Readonly<Record<string, (ctx: InTransaction, line: StockLine & Referred) => Promise<unknown>>> = {
  'put it into their carts': ({ tx, tenant }, { cartId, variantId }) =>
    tx.execute(sql`
      insert into cart_lines (tenant_id, id, cart_id, variant_id, variant_named, quantity, purchase_type, seen_price_cents)
      values (${tenant.id}, ${newId('line')}, ${cartId}, ${variantId}, true, 1, 'one_time', 3800)`),
  'join its waitlist': ({ tx, tenant }, { productId, variantId }) =>
    tx.execute(sql`
      with lead as (
        insert into leads (tenant_id, id, email, source, created_at, updated_at)
        values (${tenant.id}, ${newId('lead')}, 'ada@example.com', 'waitlist', now(), now()) returning *)
      insert into waitlist_entries (tenant_id, id, lead_id, email, product_id, variant_id, created_at)
      select tenant_id, ${newId('wait')}, id, email, ${productId}, ${variantId}, now() from lead`),
};
interface Referred {
  readonly cartId: string;
  readonly productId: string;
}

for (const [what, refer] of Object.entries(referring)) {
  test.serial(`the stock of a variant is moved by one after the other while shoppers ${what}`, async (t) => {
    const { ctx } = t.context;
    const { id: productId, variant } = await buildProduct(ctx);
    const line = { variantId: variant.id, quantity: 1 };
    const moves: readonly Work[] = [
      (ctx) => holdStock(ctx, [line]),
      (ctx) => captureStock(ctx, [line]),
      (ctx) => changeStock(ctx, [{ variantId: variant.id, change: 2 }]),
    ];
    await transact(ctx, (ctx) => holdStock(ctx, [line]));
    const { id: cartId } = await buildCart(ctx);

    const shopper = await openTransaction(t.context, (ctx) => refer(ctx, { ...line, cartId, productId }));
    const first = await openTransaction(t.context, moves[0]!);
    const others = moves.map((move) => transact(ctx, move));
    await until(async () => (await countLockWaits(ctx)) === others.length, {
      what: 'all of them to wait for the first',
    });
    await first.commit();
    await Promise.all(others);
    await shopper.commit();
    t.like(await stockOf(ctx, variant.id), { stock: 101, held: 2 });
  });
}

/** Resolves once the work is done. It is committed when that is called. */
async function openTransaction({ ctx }: Pick<TestContext, 'ctx'>, work: Work): Promise<{ commit(): Promise<unknown> }> {
  const done = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const ended = transact(ctx, async (ctx) => {
    await work(ctx);
    done.resolve();
    await gate.promise;
  });
  await Promise.race([done.promise, ended]);
  return {
    commit() {
      gate.resolve();
      return ended;
    },
  };
}
