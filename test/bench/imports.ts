import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { readConfig } from '#src/config.ts';
import { asPlatform } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { buyOneByOne, describeFelt } from './lib/buyer.ts';
import { watchMemory } from './lib/costs.ts';
import { openOrderFixture } from './lib/order-fixture.ts';

/*
 * A catalog is imported into one store while orders are bought in another, and into a third while the worker is killed
 * again and again: it must be the same to the row.
 */

const { products: count, kills, orders } = readBenchmark('imports');

const worker = 'worker-bulk';
const others = ['relay', 'payments', 'labels', 'webhooks', 'emails', 'analytics', 'chores'];
const fixture = await openOrderFixture([worker, ...others.map((name) => `worker-${name}`)]);
const services = await createServices(readConfig({ ...fixture.environment }), 'bench', { log: silentLog });
const memory = watchMemory(fixture.processes);

try {
  await buyOneByOne(fixture, 3);
  await fixture.settled();
  const quiet = await buyOneByOne(fixture, orders);
  console.log(describeFelt('quiet', quiet));

  const whole = await importCatalog();
  const felt = await buyOneByOne(fixture, orders);
  console.log(describeFelt('beside the import', felt, quiet));
  const seconds = await whole.ended;
  console.log(`${whole.rows} rows in ${seconds.toFixed(0)} s: ${Math.round(whole.rows / seconds)} rows a second`);

  const killed = await importCatalog();
  for (let kill = 0; kill < kills; kill += 1) {
    const at = ((kill + 1) * whole.rows) / (kills + 2);
    await until(async () => (await killed.rowsDone()) >= at || killed.isEnded(), {
      what: 'the next kill',
      everyMs: 50,
    });
    await fixture.processes.get(worker)?.kill('SIGKILL');
    await fixture.restart(worker);
  }
  await killed.ended;
  const [expected, found] = [await digestOf(whole.ctx), await digestOf(killed.ctx)];
  console.log(`after ${kills} kills: ${found === expected ? 'the same to the row' : `${found}, not ${expected}`}`);
  if (found !== expected) process.exitCode = 1;
} finally {
  console.log(`peak memory: ${memory.end()} (aim 250 MB each)`);
  await services.close();
  await fixture.close();
}

interface RunningImport {
  readonly ctx: Context;
  readonly rows: number;
  /** How many seconds it took, with its upload. */
  readonly ended: Promise<number>;
  isEnded(): boolean;
  rowsDone(): Promise<number>;
}

/** Start the import of the catalog into a new store. */
async function importCatalog(): Promise<RunningImport> {
  const ctx: Context = { ...services.context(), tenant: await buildTenant(services) };
  const authorization = `Bearer ${await buildKey(ctx, ['admin:write'])}`;
  const startedAt = performance.now();
  const sent = await fetch(`${fixture.url}/api/v1/admin/imports?kind=products&format=csv`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'text/csv' },
    body: Readable.toWeb(Readable.from(catalog())) as ReadableStream,
    duplex: 'half',
  });
  if (sent.status !== 202) throw new Error(await sent.text());
  const { import: created }: any = await sent.json();
  const { file_bytes: bytes } = created;
  console.log(`uploaded ${(bytes / 1e6).toFixed(1)} MB in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  const poll = async (): Promise<any> => {
    const response = await fetch(`${fixture.url}/api/v1/admin/imports/${created.id}`, { headers: { authorization } });
    return ((await response.json()) as any).import;
  };
  let isEnded = false;
  const ended = until(async () => (await poll()).finished_at, {
    withinMs: 3_600_000,
    everyMs: 250,
    what: 'the import',
  }).then(async () => {
    isEnded = true;
    const { state, failure, rows } = await poll();
    if (state !== 'completed' || rows.failed > 0) throw new Error(`The import ${state}: ${failure} ${rows.failed}`);
    return (performance.now() - startedAt) / 1000;
  });
  return { ctx, rows: count * 2, ended, isEnded: () => isEnded, rowsDone: async () => (await poll()).rows.done };
}

function* catalog(): Iterable<string> {
  yield 'slug,name,description,category,tags,sku,variant_name,options,price_cents,weight_oz,stock\n';
  for (let number = 0; number < count; number += 1) {
    const name = `Stoneware ${number % 2 ? 'mug' : 'plate'} ${number}`;
    yield `product-${number},${name},"Thrown by hand, and fired twice.",kitchen,"clay, ${number % 7}",S-${number},Small,Size=Small,1000,12,5\n`;
    yield `product-${number},,,,,L-${number},Large,Size=Large,1200,18,3\n`;
  }
}

/** A digest of all rows that an import writes, without ids and times. */
async function digestOf({ tenant }: Context): Promise<string> {
  const rows = await asPlatform(services.context(), 'a benchmark compares two stores', ({ tx }) =>
    tx.execute(sql`
    select p.slug, p.name, p.version, v.sku, v.position, v.price_cents, v.stock,
      (select count(*) from stock_movements m where m.tenant_id = v.tenant_id and m.variant_id = v.id) as movements,
      (select count(*) from audit_log a where a.tenant_id = p.tenant_id and a.subject_id = p.id) as audits
    from products p join variants v on v.tenant_id = p.tenant_id and v.product_id = p.id
    where p.tenant_id = ${tenant.id} order by v.sku`),
  );
  return `${rows.length} rows ${createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 12)}`;
}
