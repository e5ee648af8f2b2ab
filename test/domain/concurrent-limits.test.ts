import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { changeKindOf, exportKindOf, previewChange, requestExport, runChange } from '#src/domain/bulk/index.ts';
import { addLine, readCart } from '#src/domain/cart/index.ts';
import type { Context } from '#src/domain/context.ts';
import { holdPromo } from '#src/domain/promotions/index.ts';
import { createEndpoint } from '#src/domain/webhooks/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { interleave } from '#test/support/interleave.ts';
import { buildTenant } from '#test/support/tenant.ts';

/*
 * What a store may have so many of. The store has room for one more, and two are added at once: the second runs before
 * each statement of the first in turn, as far as it gets.
 */

const test = anyTest as TestFn<TestContext>;
useContext(test);

interface Limited {
  readonly max: number;
  /** `add` adds one, `count` says how many there are. */
  readonly build: (ctx: Context) => Promise<{ add: () => Promise<unknown>; count: () => Promise<number> }>;
}

const countOf = async (ctx: Context, rows: Sql) => (await read(ctx, sql`select from ${rows}`)).length;
const ofStore = (ctx: Context) => sql`tenant_id = ${ctx.tenant.id}`;

async function buildPreview(ctx: Context) {
  const { id: productId } = await buildProduct(ctx);
  return () => previewChange(ctx, { kind: changeKindOf({ kind: 'prices' }), ids: [productId], change: { percent: 1 } });
}

const limits: Readonly<Record<string, Limited>> = {
  'webhook endpoints': {
    max: 50,
    async build(ctx) {
      let added = 0;
      return {
        add: () => createEndpoint(ctx, { url: `http://127.0.0.1:9/${(added += 1)}`, events: ['order.paid'] }),
        count: () => countOf(ctx, sql`webhook_endpoints where ${ofStore(ctx)}`),
      };
    },
  },
  'exports in progress': {
    max: 10,
    build: async (ctx) => ({
      add: () => requestExport(ctx, { kind: exportKindOf({ kind: 'stock' }), format: 'csv', from: null, to: null }),
      count: () => countOf(ctx, sql`bulk_operations where ${ofStore(ctx)}`),
    }),
  },
  'bulk changes in progress': {
    max: 10,
    async build(ctx) {
      const preview = await buildPreview(ctx);
      return {
        add: async () => runChange(ctx, { id: await preview() }),
        count: () => countOf(ctx, sql`bulk_operations where ${ofStore(ctx)} and state = 'queued'`),
      };
    },
  },
  'previews of bulk changes': {
    max: 10,
    build: async (ctx) => ({
      add: await buildPreview(ctx),
      count: () => countOf(ctx, sql`bulk_operations where ${ofStore(ctx)} and state = 'previewed'`),
    }),
  },
  'lines of a cart': {
    max: 100,
    async build(ctx) {
      const cart = await buildCart(ctx);
      const variants = Array.from({ length: 101 }, (_, index) => ({ sku: `s-${index}`, price_cents: 100 }));
      const { variants: built } = await buildProduct(ctx, { variants });
      let added = 0;
      return {
        add: () => addLine(ctx, cart.id, { variantId: built[(added += 1) - 1]?.id ?? '', quantity: 1 }),
        count: async () => (await readCart(ctx, cart.id)).lines.length,
      };
    },
  },
  'uses of a promo code': {
    max: 2,
    async build(ctx) {
      const { id: promoId } = await buildPromo(ctx, { usage_limit: 2 });
      return {
        add: () => transact(ctx, (ctx) => holdPromo(ctx, { promoId })),
        count: async () => (await usesOf(ctx, promoId)).held,
      };
    },
  },
  'uses of a promo code by one customer': {
    max: 2,
    async build(ctx) {
      const { id: promoId } = await buildPromo(ctx, { per_customer_limit: 2 });
      const customerEmail = 'ada@example.com';
      return {
        add: () => transact(ctx, (ctx) => holdPromo(ctx, { promoId, customerEmail })),
        count: async () => (await usesOf(ctx, promoId, customerEmail)).held,
      };
    },
  },
};

/** What is rejected is so because of the limit. */
const rejected = (error: unknown) => {
  if (!(error instanceof DomainError)) throw error;
};

for (const [name, { max, build }] of Object.entries(limits)) {
  test.serial(`two ${name} that are added at once do not exceed the limit of ${max}`, async (t) => {
    const { services } = t.context;
    for (let step = 1, isReached = true; isReached; step += 1) {
      const { add, count } = await build({ ...services.context(), tenant: await buildTenant(services) });
      for (let added = 1; added < max; added += 1) await add();
      t.is(await count(), max - 1);
      const addOrBeRejected = () => add().catch(rejected);
      isReached = await interleave(services, step, addOrBeRejected, addOrBeRejected);
      t.is(await count(), max, `before statement ${step}`);
    }
  });
}
