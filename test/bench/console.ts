import type { Browser, Page } from 'playwright-core';

import { ensureConsole } from '#src/console/build/ensure-built.ts';
import { transact } from '#src/database/transact.ts';
import { startProcess } from '#src/dev/stack/start-process.ts';
import type { Context } from '#src/domain/context.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { launchBrowser } from '#test/support/browser.ts';
import { buildStaffSession } from '#test/support/factories/staff.ts';
import { heading } from '#test/support/walk-console.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { fillStore } from './lib/fill-store.ts';
import { percentile } from './lib/numbers.ts';

/*
 * How long the pages of the console take in a large store, in Chromium: first with an empty cache, and then from page
 * to page, until what they were opened for can be seen.
 */

const { orders, times } = readBenchmark('console');

/** The pages: the URL's fragment, and what is seen when they are complete. */
const pages: Readonly<Record<string, readonly [path: string, complete: (page: Page) => Promise<unknown>]>> = {
  today: ['/', (page) => page.getByRole('heading', { name: 'Funnel of 30 days' }).waitFor()],
  orders: ['/orders', (page) => rowsOf(page, 'Orders')],
  'orders, page 2': ['/orders?page=2', (page) => rowsOf(page, 'Orders')],
  'orders, filtered': [
    `/orders?filter=${encodeURIComponent('{"needs_attention":true}')}`,
    (page) => rowsOf(page, 'Orders'),
  ],
  'orders, searched': [
    `/orders?filter=${encodeURIComponent(`{"q":"ORD-${orders / 2}"}`)}`,
    (page) => page.getByRole('link', { name: `ORD-${orders / 2}`, exact: true }).waitFor(),
  ],
  'an order': [`/orders/ord_${'50'.padStart(26, '0')}/show`, (page) => heading(page, 'ORD-50').waitFor()],
  labels: ['/labels', (page) => page.getByRole('table', { name: 'Labels' }).first().waitFor()],
  products: ['/products', (page) => rowsOf(page, 'Products')],
  customers: ['/customers', (page) => heading(page, 'Customers').waitFor()],
};

const rowsOf = (page: Page, name: string) => page.getByRole('table', { name }).getByRole('row').nth(1).waitFor();

const bench = await startBench();
const [browser] = await Promise.all([launchBrowser(), ensureConsole()]);
try {
  const tenant = await fillStore(bench.services, orders);
  const ctx: Context = { ...bench.services.context(), tenant };
  await transact(ctx, async ({ tx }) => {
    await tx.execute(sql`
      update labels set state = 'needs_attention', reason_code = 'missing_address'
      where tenant_id = ${tenant.id} and order_number like '%00'`);
    await tx.execute(sql`
      update orders set fulfillment_status = 'needs_attention',
        attentions = '[{"code": "missing_address", "detail": "The address is incomplete."}]'
      where tenant_id = ${tenant.id} and order_number like '%00'`);
  });
  await bench.services.execute(rawSql('analyze'));
  const { token } = await buildStaffSession(ctx);
  const { environment, url } = await bench.web();
  const web = startProcess('web', 'src/server.ts', environment);
  try {
    await web.waitFor('listening');
    const session = { name: 'staff_session', value: token, url };
    const start = `${url}/admin?store=${tenant.slug}`;
    console.log(`${orders} orders; milliseconds until it is complete: median of ${times} (longest)`);
    report('first load, empty cache', await firstLoads(browser, start, session));
    const page = await openWindow(browser, session);
    await page.goto(`${start}#/`);
    await heading(page, 'Today').waitFor();
    for (const [name, [path, complete]] of Object.entries(pages)) {
      const took: number[] = [];
      for (let time = -1; time < times; time += 1) {
        await page.goto(`${start}#/my-account`);
        await heading(page, 'My account').waitFor();
        const startedAt = performance.now();
        await page.goto(`${start}#${path}`);
        await complete(page);
        if (time >= 0) took.push(performance.now() - startedAt);
      }
      report(name, took);
    }
  } finally {
    await web.stop();
  }
} finally {
  await browser.close();
  await bench.stop();
}

type Cookie = Parameters<Awaited<ReturnType<Browser['newContext']>>['addCookies']>[0][number];

async function openWindow(browser: Browser, session: Cookie): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([session]);
  return context.newPage();
}

async function firstLoads(browser: Browser, start: string, session: Cookie): Promise<number[]> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const page = await openWindow(browser, session);
    const startedAt = performance.now();
    await page.goto(`${start}#/orders`);
    await rowsOf(page, 'Orders');
    took.push(performance.now() - startedAt);
    await page.context().close();
  }
  return took;
}

function report(name: string, took: readonly number[]): void {
  console.log(`${name.padEnd(26)}${percentile(took, 0.5).toFixed(0).padStart(7)} (${Math.max(...took).toFixed(0)})`);
}
