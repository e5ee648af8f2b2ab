import { listAudit } from '#src/domain/audit/index.ts';
import { readOrderFile } from '#src/domain/backoffice/index.ts';
import { findProduct, listManagedProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { listLeads } from '#src/domain/leads/index.ts';
import { listManagedOrders } from '#src/domain/orders/index.ts';
import { listProductsByWords, searchDocuments } from '#src/domain/search/index.ts';
import { listLabels } from '#src/domain/shipping/index.ts';
import { rawSql } from '#src/lib/sql.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { fillStore } from './lib/fill-store.ts';
import { percentile } from './lib/numbers.ts';

/*
 * What lists, searches and pages cost in stores of different sizes, and in the smallest one alone and beside the
 * others.
 */

const { largest, times } = readBenchmark('sizes');

const works: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  'product list': (ctx) => listProductsByWords(ctx, {}),
  'by price': (ctx) => listProductsByWords(ctx, { sort: 'price_asc' }),
  'by name': (ctx) => listProductsByWords(ctx, { sort: 'name' }),
  'of a category': (ctx) => listProductsByWords(ctx, { category: 'kitchen' }),
  'of a category, by price': (ctx) => listProductsByWords(ctx, { category: 'kitchen', sort: 'price_desc' }),
  'of a tag': (ctx) => listProductsByWords(ctx, { tag: 'clay' }),
  'of a tag, by price': (ctx) => listProductsByWords(ctx, { tag: 'clay', sort: 'price_asc' }),
  'of a rare tag, by price': (ctx) => listProductsByWords(ctx, { tag: 'rare', sort: 'price_asc' }),
  'of a tag and a category': (ctx) => listProductsByWords(ctx, { tag: 'rare', category: 'garden' }),
  'second page': async (ctx) => {
    const { cursor } = await listProductsByWords(ctx, {});
    await listProductsByWords(ctx, { cursor: cursor ?? undefined });
  },
  'q, frequent': (ctx) => listProductsByWords(ctx, { q: 'stoneware' }),
  'q, rare': (ctx) => listProductsByWords(ctx, { q: 'zeppelin' }),
  'q, none': (ctx) => listProductsByWords(ctx, { q: 'submarine' }),
  'a product': (ctx) => findProduct(ctx, 'product-50'),
  'search, frequent': (ctx) => searchDocuments(ctx, { q: 'stoneware' }),
  'search, two words': (ctx) => searchDocuments(ctx, { q: 'stoneware bowl' }),
  'search, rare': (ctx) => searchDocuments(ctx, { q: 'zeppelin' }),
  'search, misspelled': (ctx) => searchDocuments(ctx, { q: 'stonwear' }),
  'order list': (ctx) => listManagedOrders(ctx, {}),
  'orders, empty status': (ctx) => listManagedOrders(ctx, { status: 'refunded' }),
  'orders, empty fulfillment': (ctx) => listManagedOrders(ctx, { fulfillment_status: 'exception' }),
  'an order': (ctx) => readOrderFile(ctx, `ord_${'50'.padStart(26, '0')}`),
  'label list, empty state': (ctx) => listLabels(ctx, { state: 'voided' }),
  'managed products, drafts': (ctx) => listManagedProducts(ctx, { status: 'draft' }),
  'audit log, empty kind': (ctx) => listAudit(ctx, { subjectKind: 'order', limit: 20 }),
  'leads, empty source': (ctx) => listLeads(ctx, { source: 'quiz' }),
};

const bench = await startBench();
try {
  const sizes = [100, Math.round(largest / 10), largest];
  const small = await fillStore(bench.services, 100);
  const alone = await measure({ ...bench.services.context(), tenant: small });
  const tenants = [small];
  for (const size of sizes.slice(1)) tenants.push(await fillStore(bench.services, size));
  await bench.services.execute(rawSql('analyze'));
  const columns = [alone];
  for (const tenant of tenants) columns.push(await measure({ ...bench.services.context(), tenant }));

  console.log(`median of ${times}, and the longest, in milliseconds`);
  console.log(['', '100 alone', ...sizes.map(String)].map(padded).join(''));
  for (const [row, name] of Object.keys(works).entries())
    console.log([name, ...columns.map((column) => column[row] ?? '')].map(padded).join(''));
} finally {
  await bench.stop();
}

function padded(text: string, index: number): string {
  return index === 0 ? text.padEnd(28) : text.padStart(16);
}

async function measure(ctx: Context): Promise<string[]> {
  const results: string[] = [];
  for (const work of Object.values(works)) {
    const took: number[] = [];
    // From the sixth time on, a connection uses the plan that it keeps.
    for (let time = -6; time < times; time += 1) {
      const startedAt = performance.now();
      await work(ctx);
      if (time >= 0) took.push(performance.now() - startedAt);
    }
    results.push(`${percentile(took, 0.5).toFixed(1)} (${Math.max(...took).toFixed(0)})`);
  }
  return results;
}
