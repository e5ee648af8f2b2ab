import type { Context } from '#src/domain/context.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { report, sideBySide } from './lib/side-by-side.ts';
import { type SentStatement, statementOf } from './lib/statement-of.ts';
import { withFloor } from './lib/with-floor.ts';

/*
 * The hot reads of a storefront at 50 connections: cached for a second, against a bare Koa and router that return a
 * constant; and uncached, against a bare Koa that sends the same prepared statement.
 */

const { rounds, seconds } = readBenchmark('reads');
const bench = await startBench();
try {
  const tenant = await buildTenant(bench.services);
  const ctx: Context = { ...bench.services.context(), tenant };
  for (let number = 1; number <= 24; number += 1) {
    await buildProduct(ctx, {
      slug: `bowl-${number}`,
      name: `Oak bowl no. ${number}`,
      description: 'Turned from one piece of white oak, and oiled by hand.',
      tags: ['oak', 'kitchen'],
      images: [{ url: `https://cdn.example/bowl-${number}.jpg`, alt: 'An oak bowl' }],
      variants: [{}, { sku: `BOWL-${number}-L` }],
    });
    await buildEntry(ctx, {
      slug: `care-${number}`,
      body: { format: 'markdown', value: 'Oil it, and let it rest. '.repeat(20) },
    });
  }
  await buildPaymentAccount(ctx);

  const headers = { 'x-tenant-slug': tenant.slug };
  const reads = Object.entries({
    'product list': '/api/v1/products',
    'product detail': '/api/v1/products/bowl-1',
    'content list': '/api/v1/content/article',
    'content entry': '/api/v1/content/article/care-1',
    storefront: '/api/v1/storefront',
  });
  const statements: Record<string, SentStatement> = {};
  for (const [name, path] of reads) statements[name] = await statementOf(bench.services, path, headers);

  await withFloor(bench, { FLOOR_STATEMENTS: JSON.stringify(statements) }, async (service, floor) => {
    const hello = { ...floor, name: 'Koa and router, hello', url: `${floor.url}/hello` };
    const cached = reads.map(([name, path]) => ({ ...service, name, url: service.url + path, headers }));
    report(await sideBySide([hello, ...cached], { rounds, seconds }), 0.25);

    let number = 0;
    const neverTheSame = (path: string) => () => ({ path: `${path}?n=${(number += 1)}` });
    for (const [name, path] of reads) {
      const bare = {
        ...floor,
        name: `Koa, the statement of ${name}`,
        headers,
        next: neverTheSame(`/statements/${encodeURIComponent(name)}`),
      };
      const uncached = { ...service, name: `${name}, anew`, headers, next: neverTheSame(path) };
      report(await sideBySide([bare, uncached], { rounds, seconds }), 0.6);
    }
  });
} finally {
  await bench.stop();
}
