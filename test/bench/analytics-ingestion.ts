import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import pg from 'pg';
import { Agent, request } from 'undici';
import { startProcess } from '#src/dev/stack/start-process.ts';
import { createPartitions } from '#src/domain/analytics/index.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { describeLatencies, inParallel, timed } from './lib/numbers.ts';

/*
 * Events taken in over HTTP, by the real web process, and aggregated by the real worker, beside `INSERT … SELECT
 * unnest` of the same rows into the same table, with its partitions, indexes and row-level security, committed as
 * often. How far the aggregation lags while events keep coming, and while more come than can be counted in time: those
 * are rejected, and sent again soon. Whether each is counted once though every batch is sent five times and the worker
 * is killed again and again.
 */

const { events: total } = readBenchmark('analytics-ingestion');
const steadyRate = 5000;
const perBatch = 500;
const connections = 4;
/** The wait of a rejected sender: a tenth of its Retry-After. */
const retryDelayMs = 100;

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
const say = (message: string) => console.log(message);

try {
  const before = [await measureFloor(1), await measureFloor(2)];
  const { environment, url } = await bench.web();
  const startWorker = () => startProcess('worker-analytics', 'workers/analytics.ts', environment);
  const running = [
    startProcess('web', 'src/server.ts', environment),
    startProcess('worker-relay', 'workers/relay.ts', environment),
    startWorker(),
  ];
  await Promise.all(running.map((process, index) => process.waitFor(index === 0 ? 'listening' : 'working')));
  const agent = new Agent({ connections });
  /** Returns how often it was rejected before it was accepted. */
  const rejectionsOf = async (body: string): Promise<number> => {
    const response = await request(`${url}/api/v1/analytics/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tenant-slug': tenant.slug, 'user-agent': 'bench' },
      body,
      dispatcher: agent,
    });
    const text = await response.body.text();
    if (response.statusCode === 429) {
      if (!response.headers['retry-after']) throw new Error('A rejection has no Retry-After.');
      await wait(retryDelayMs);
      return 1 + (await rejectionsOf(body));
    }
    if (response.statusCode !== 200 || JSON.parse(text).accepted !== perBatch)
      throw new Error(`${response.statusCode}: ${text.slice(0, 200)}`);
    return 0;
  };
  let refused = 0;
  const post = async (body: string) => void (refused += await rejectionsOf(body));
  const bodies = batches.map((events) => JSON.stringify({ events }));
  const bodiesOf = (first: number, batches: number) =>
    Array.from({ length: batches }, (_, index) => JSON.stringify({ events: makeBatch(first + index) }));
  for (const body of bodiesOf(1_000_000, 20)) await post(body);
  let known = 20 * perBatch;
  await aggregated(known);

  const steady: number[] = [];
  await watchingLag(steady, async () => {
    for (let half = 0; half < 20; half += 1) {
      const startedAt = performance.now();
      await inParallel(bodiesOf(2_000_000 + half * 100, steadyRate / 2 / perBatch), connections, post);
      await wait(Math.max(0, 500 - (performance.now() - startedAt)));
    }
  });
  await aggregated((known += 10 * steadyRate));
  reportLag(`at ${round(steadyRate)} events/s`, steady);

  const overload: number[] = [];
  let accepted = 0;
  const stored = await watchingLag(overload, () =>
    timed(async () => {
      accepted = await timed(async () =>
        say(
          `a batch is taken in, refusals included: ${describeLatencies(await inParallel(bodies, connections, post))}`,
        ),
      );
      await aggregated((known += sent));
    }),
  );
  reportLag('at overload', overload);

  let kills = 0;
  const repeated = bodiesOf(3_000_000, 100);
  const sending = inParallel(Array.from({ length: 5 }, () => repeated).flat(), connections, post);
  for (const end = sending.then(() => true); !(await Promise.race([end, wait(200, false)])); ) await killWorker();
  await aggregated((known += repeated.length * perBatch));
  say(
    `${repeated.length} batches sent five times while the worker was killed ${kills} times in the middle of folding: ` +
      `each of ${round(repeated.length * perBatch)} events counted once`,
  );
  await agent.close();
  await Promise.all(running.map((process) => process.stop()));

  function reportLag(when: string, lags: readonly number[]): void {
    say(
      `lag ${when}: ${describeLatencies(lags)}, at most ${Math.max(...lags).toFixed(0)} ms (aim < 2,000 ms); ` +
        `${refused} batches refused for the moment`,
    );
    refused = 0;
  }

  async function killWorker(): Promise<void> {
    kills += Number(await isAggregating());
    await running[2]?.kill('SIGKILL');
    running[2] = startWorker();
    await running[2].waitFor('working');
  }

  // Once more at the end: this machine may have been busy with something else at either time.
  const after = [await measureFloor(1), await measureFloor(2)];
  const floors = before.map((rate, index) => (rate + (after[index] ?? rate)) / 2);
  say(
    `floor: INSERT … SELECT unnest of the same ${sent} rows, ${perBatch} at a time: ` +
      `${floors.map(round).join(' rows/s on one connection, ')} on two`,
  );
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
    insert into analytics_events (tenant_id, event_id, received_on, received_at, occurred_at, type, source, bot,
      visitor, session_id, product_slug, properties)
    select $1, event_id, current_date, now(), occurred_at, type, 'client', false, 'visitor', session_id, product_slug,
      properties
    from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
      as e(event_id, occurred_at, type, session_id, product_slug, properties)`;
  const columns = batches.map((events) =>
    (['event_id', 'occurred_at', 'type', 'session_id', 'product_slug'] as const)
      .map((name): string[] => events.map((event) => event[name]))
      .concat([events.map(({ properties }) => JSON.stringify(properties))]),
  );
  const seconds = await timed(() =>
    inParallel(columns, width, async (values) => {
      await pool.query({ name: 'floor', text: statement, values: [tenant.id, ...values] });
    }),
  );
  if ((await count('analytics_events')) !== sent) throw new Error('The floor lost rows.');
  await pool.query('truncate analytics_events');
  return sent / seconds;
}

/** Until so many events have been aggregated. */
async function aggregated(events: number): Promise<void> {
  while ((await count('analytics_batches')) > 0) await wait(50);
  const { rows } = await pool.query('select sum(events)::int as events from analytics_hours');
  const found = [await count('analytics_events'), rows[0].events];
  if (found.some((each) => each !== events))
    throw new Error(`${found.join(' and, in the hours, ')} events are counted of ${events}.`);
}

/** Wait for a moment in which a worker is aggregating, but for a limited time. */
async function isAggregating(): Promise<boolean> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const { rowCount } = await pool.query(
      "select 1 from pg_stat_activity where state = 'active' and query ~ 'delete from analytics_batches' " +
        'and pid <> pg_backend_pid()',
    );
    if (rowCount) return true;
    await wait(5);
  }
  return false;
}

/** Do something and note meanwhile, ten times a second, how old the oldest batch is that waits. */
async function watchingLag<Result>(lags: number[], work: () => Promise<Result>): Promise<Result> {
  const watching = new AbortController();
  const watch = async () => {
    while (!watching.signal.aborted) {
      const {
        rows: [row],
      } = await pool.query(`
        select coalesce(extract(epoch from clock_timestamp() - min(received_at)), 0)::float8 * 1000 as lag
        from analytics_batches`);
      lags.push(row.lag);
      await wait(100);
    }
  };
  const watched = watch();
  try {
    return await work();
  } finally {
    watching.abort();
    await watched;
  }
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
