import type { Context } from '#src/domain/context.ts';
import { transact } from '#src/domain/database.ts';
import { saveEntry } from '#src/domain/content/index.ts';
import { savePaymentAccount } from '#src/domain/payments/index.ts';
import { startProcess } from '#src/local/stack/start-process.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { sideBySide, tell } from './lib/side-by-side.ts';

/*
 * The hot reads of a storefront at 50 connections: remembered for a second, against a bare Koa and router that say
 * hello; and each asked anew, against one prepared statement: node test/bench/reads.ts [rounds] [seconds of each]
 */

const [rounds = 5, seconds = 2] = process.argv.slice(2).map(Number);
const bench = await startBench();
const tenant = await buildTenant(bench.services);
const ctx: Context = { ...bench.services.context(), tenant };

for (let number = 1; number <= 24; number += 1) {
  await buildProduct(ctx, {
    slug: `bowl-${number}`, name: `Oak bowl no. ${number}`, description: 'Turned from one piece of white oak, and oiled by hand.',
    tags: ['oak', 'kitchen'], images: [{ url: `https://cdn.example/bowl-${number}.jpg`, alt: 'An oak bowl' }], variants: [{}, { sku: `BOWL-${number}-L` }],
  });
}
await transact(ctx, async (ctx) => {
  for (let number = 1; number <= 10; number += 1) {
    await saveEntry(ctx, { type: 'article', slug: `care-${number}`, title: 'How to care for oak', body: { format: 'markdown', value: 'Oil it. '.repeat(40) } });
  }
  await savePaymentAccount(ctx, { provider: 'stripe', mode: 'direct', secret_key: 'sk_test_1', publishable_key: 'pk_test_1', automatic_tax: false });
});

const ours = await bench.web();
const floor = await bench.web({ FLOOR_TENANT: tenant.id });
const processes = [startProcess('web', 'src/server.ts', ours.environment), startProcess('floor', 'test/bench/lib/floor.ts', floor.environment)];

try {
  await Promise.all(processes.map((process) => process.waitFor('listening')));
  const headers = { 'x-tenant-slug': tenant.slug };
  const reads = {
    'product list': '/api/v1/products', 'product detail': '/api/v1/products/bowl-1', 'content list': '/api/v1/content/article',
    'content entry': '/api/v1/content/article/care-1', storefront: '/api/v1/storefront',
  };
  const contenders = Object.entries(reads).map(([name, path]) => ({ name, url: ours.url + path, headers }));
  tell(await sideBySide([{ name: 'Koa, hello', url: `${floor.url}/hello` }, ...contenders], { rounds, seconds }), 'Koa, hello', 0.6);

  let number = 0;
  const anew = Object.entries(reads).map(([name, path]) => ({
    name: `${name}, anew`, url: ours.url, headers, next: () => ({ path: `${path}?n=${(number += 1)}` }),
  }));
  tell(await sideBySide([{ name: 'Koa, one statement', url: `${floor.url}/row` }, ...anew], { rounds, seconds }), 'Koa, one statement', 0.6);
} finally {
  for (const process of processes) await process.stop();
  await bench.stop();
}
