import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import pg from 'pg';
import { Agent, request } from 'undici';

import { createPartitions } from '#src/domain/analytics/index.ts';
import { startProcess } from '#src/local/stack/start-process.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { describeLatencies, inParallel, timed } from './lib/numbers.ts';

/*
 * Events taken in over HTTP, by the real web process, and folded by the real worker, beside `INSERT … SELECT unnest` of
 * the same rows into the same table: node test/bench/analytics-ingestion.ts [events]
 */

const total = Number(process.argv[2] ?? 200_000);
const perBatch = 500;
const connections = 4;

interface BenchEvent {
  readonly event_id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly session_id: string;
  readonly product_slug: string;
  readonly properties: object;
}

function makeBatch(batch: number): BenchEvent[] {
  const types = ['page_viewed', 'product_viewed', 'product_viewed', 'cart_item_added', 'checkout_started'];
  return Array.from({ length: perBatch }, (_, index) => ({
    event_id: randomUUID(),
    type: types[index % types.length] ?? '',
    occurred_at: new Date(Date.now() - index * 10).toISOString(),
    session_id: `session-${batch}-${index % 50}`,
    product_slug: `product-${index % 200}`,
    properties: { list: 'new arrivals', position: index, path: `/products/product-${index % 200}` },
  }));
}

const bench = await startBench();
const pool = new pg.Pool({ connectionString: bench.embedded.databaseUrl, max: 4, options: '-c app.platform=on' });
const tenant = await buildTenant(bench.services);
const count = async (table: string) => Number((await pool.query(`select count(*) from ${table}`)).rows[0].count);
await createPartitions(bench.services.context());

const batches = Array.from({ length: Math.ceil(total / perBatch) }, (_, index) => makeBatch(index));
const sent = batches.length * perBatch;
const say = (sentence: string) => console.log(sentence);

try {
  const before = [await measureFloor(1), await measureFloor(2)];
  const { environment, url } = await bench.web();
  const processes = [['web', 'src/server.ts'], ['worker-relay', 'workers/relay.ts'], ['worker-analytics', 'workers/analytics.ts']] as const;
  const running = processes.map(([name, entry]) => startProcess(name, entry, environment));
  await Promise.all(running.map((process, index) => process.waitFor(index === 0 ? 'listening' : 'working')));
  const agent = new Agent({ connections });
  const post = async (body: string) => {
    const answer = await request(`${url}/api/v1/analytics/events`, {
      method: 'POST', headers: { 'content-type': 'application/json', 'x-tenant-slug': tenant.slug, 'user-agent': 'bench' }, body, dispatcher: agent,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || JSON.parse(text).accepted !== perBatch) throw new Error(`${answer.statusCode}: ${text.slice(0, 200)}`);
  };
  const bodies = batches.map((events) => JSON.stringify({ events }));
  for (const events of Array.from({ length: 20 }, (_, index) => makeBatch(-1 - index))) await post(JSON.stringify({ events }));
  await folded(20 * perBatch);

  const lags: number[] = [];
  const watching = new AbortController();
  const watch = watchLag(lags, watching.signal);
  let accepted = 0;
  const stored = await timed(async () => {
    accepted = await timed(async () => say(`each batch: ${describeLatencies(await inParallel(bodies, connections, post))}`));
    await folded(sent + 20 * perBatch);
  });
  watching.abort();
  await watch;
  say(`lag at full load: oldest waiting batch at most ${(Math.max(...lags) / 1000).toFixed(2)} s old`);

  const steady: number[] = [];
  const again = new AbortController();
  const steadyWatch = watchLag(steady, again.signal);
  for (let second = 0; second < 20; second += 1) {
    const startedAt = performance.now();
    await inParallel(Array.from({ length: 5 }, (_, index) => JSON.stringify({ events: makeBatch(10_000 + second * 5 + index) })), connections, post);
    await wait(Math.max(0, 500 - (performance.now() - startedAt)));
  }
  again.abort();
  await steadyWatch;
  say(`lag at 5,000 events/s: ${describeLatencies(steady)}, at most ${Math.max(...steady).toFixed(0)} ms`);
  await agent.close();
  await Promise.all(running.map((process) => process.stop()));

  // Once more at the end: this machine may have been busy with something else at either time.
  const after = [await measureFloor(1), await measureFloor(2)];
  const floors = before.map((rate, index) => (rate + (after[index] ?? rate)) / 2);
  say(`floor: INSERT … SELECT unnest of the same ${sent} rows, ${perBatch} at a time: ${floors.map(round).join(' rows/s on one connection, ')} on two`);
  const ratios = (rate: number) => floors.map((floor) => (rate / floor).toFixed(2)).join(' and ');
  say(`accepted over HTTP: ${round(sent / accepted)} events/s, ${ratios(sent / accepted)} × the floors`);
  say(`accepted and folded: ${round(sent / stored)} events/s, ${ratios(sent / stored)} × the floors (aim ≥ 0.25)`);
} finally {
  await pool.end();
  await bench.stop();
}

/** Rows a second, then the table is empty again. */
async function measureFloor(width: number): Promise<number> {
  await pool.query('truncate analytics_events');
  const statement = `
    insert into analytics_events (tenant_id, event_id, received_on, received_at, occurred_at, type, source, bot, visitor, session_id, product_slug, properties)
    select $1, event_id, current_date, now(), occurred_at, type, 'client', false, 'visitor', session_id, product_slug, properties
    from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
      as e(event_id, occurred_at, type, session_id, product_slug, properties)`;
  const columns = batches.map((events) => (['event_id', 'occurred_at', 'type', 'session_id', 'product_slug'] as const)
    .map((name): string[] => events.map((event) => event[name]))
    .concat([events.map(({ properties }) => JSON.stringify(properties))]));
  const seconds = await timed(() => inParallel(columns, width, async (values) => {
    await pool.query({ name: 'floor', text: statement, values: [tenant.id, ...values] });
  }));
  if (await count('analytics_events') !== sent) throw new Error('The floor lost rows.');
  await pool.query('truncate analytics_events');
  return sent / seconds;
}

/** Until so many events have been folded in all. */
async function folded(events: number): Promise<void> {
  while (await count('analytics_batches') > 0) await wait(50);
  if (await count('analytics_events') !== events) throw new Error('Events were lost or doubled.');
}

/** How old the oldest waiting batch is, ten times a second. */
async function watchLag(lags: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rows: [row] } = await pool.query(`
      select coalesce(extract(epoch from clock_timestamp() - min(received_at)), 0)::float8 * 1000 as lag from analytics_batches`);
    lags.push(row.lag);
    await wait(100);
  }
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
