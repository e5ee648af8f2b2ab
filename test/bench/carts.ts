import type { Context } from '#src/domain/context.ts';
import { newId } from '#src/lib/ids.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { report, sideBySide } from './lib/side-by-side.ts';
import { statementOf } from './lib/statement-of.ts';
import { withFloor } from './lib/with-floor.ts';

/*
 * Carts at 50 connections: reading one against a bare Koa that sends the same prepared statement, and adding to one
 * against a bare transaction that makes the same writes.
 */

const { rounds, seconds } = readBenchmark('carts');
const cartCount = 400;
const bench = await startBench();
try {
  const tenant = await buildTenant(bench.services);
  const ctx: Context = { ...bench.services.context(), tenant };
  const { variants } = await buildProduct(ctx, {
    variants: Array.from({ length: 20 }, (_, number) => ({ name: `No. ${number}` })),
  });
  const some = variants.slice(0, 5).map(({ id }) => id);
  const full = await buildCart(ctx, some);
  const carts: string[] = [];
  while (carts.length < cartCount) carts.push((await buildCart(ctx)).id);

  // As autovacuum leaves a store that is in use. PostgreSQL takes tables without statistics for small ones.
  await ctx.database.pool.query('analyze carts, cart_lines, products, variants');

  let number = 0;
  const nextLine = () => {
    number += 1;
    return {
      cartId: carts[number % cartCount] ?? '',
      variantId: variants[Math.floor(number / cartCount) % variants.length]?.id ?? '',
    };
  };
  const json = { 'content-type': 'application/json' };
  const headers = { 'x-tenant-slug': tenant.slug };
  const path = `/api/v1/cart/${full.id}`;
  const statement = await statementOf(bench.services, path, headers);

  await withFloor(
    bench,
    { FLOOR_TENANT: tenant.id, FLOOR_STATEMENTS: JSON.stringify({ cart: statement }) },
    async (service, floor) => {
      const bare = { ...floor, name: 'Koa, the statement of the cart', url: `${floor.url}/statements/cart` };
      report(
        await sideBySide([bare, { ...service, name: 'cart read', url: service.url + path, headers }], {
          rounds,
          seconds,
        }),
        0.6,
      );

      const writes = {
        ...floor,
        name: 'Koa, a transaction of the same writes',
        method: 'POST' as const,
        headers: json,
        next: () => ({ path: '/lines', body: JSON.stringify({ ...nextLine(), lineId: newId('line') }) }),
      };
      const adding = {
        ...service,
        name: 'adding to a cart',
        method: 'POST' as const,
        headers: { ...json, ...headers },
        next() {
          const { cartId, variantId } = nextLine();
          return { path: `/api/v1/cart/${cartId}/items`, body: JSON.stringify({ variantId, quantity: 1 }) };
        },
      };
      report(await sideBySide([writes, adding], { rounds, seconds }), 0.4);
    },
  );
} finally {
  await bench.stop();
}
