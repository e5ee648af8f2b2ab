import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { Agent, request } from 'undici';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { createEndpoint, drainEndpoint } from '#src/domain/webhooks/index.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startBench } from './lib/bench-environment.ts';
import { readBenchmark } from './lib/benchmarks.ts';
import { inParallel, percentile, timed } from './lib/numbers.ts';

/*
 * Signed and recorded deliveries of one process to ten endpoints of a receiver in another, beside bare requests to the
 * same receiver; and the same once more while an eleventh endpoint hangs with 50,000 waiting.
 */

const { deliveries: perEndpoint } = readBenchmark('webhook-deliveries');
const endpointCount = 10;
const concurrency = 16;
const waitingAtHang = 50_000;
const ordersCount = 200;
const rounds = 3;

const bench = await startBench();
const receiver = spawn(process.execPath, [fileURLToPath(new URL('./lib/webhook-receiver.ts', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port] = await once(receiver.stdout, 'data');
const url = `http://127.0.0.1:${Number(String(port))}`;
const ctx: Context = { ...bench.services.context(), tenant: await buildTenant(bench.services) };

try {
  const orders = [];
  for (let index = 0; index < ordersCount; index += 1) orders.push((await buildPaidOrder(ctx)).id);
  const endpoints = [];
  for (let index = 0; index < endpointCount; index += 1) endpoints.push(await endpointAt(`/${index}`));
  const hanging = await endpointAt('/hang');

  await run('to warm up', endpoints, orders);
  // Beside each other, floor and run by turns: a machine is not equally quiet all the time.
  const toFloor = [];
  for (let round = 1; round <= rounds; round += 1) {
    const floor = await bareRequests();
    console.log(`${round}: ${perSecond(floor)} bare requests/s`);
    toFloor.push((await run(`${round}: ten endpoints`, endpoints, orders)).perSecond / floor);
  }
  console.log(`signed and recorded: ${percentile(toFloor, 0.5).toFixed(2)} × bare requests (median of ${rounds})`);

  await wait([hanging], orders, waitingAtHang);
  const ratios = [];
  for (let round = 1; round <= rounds; round += 1) {
    const { p95: alone } = await run(`${round}: nobody tries the eleventh`, endpoints, orders);
    const stop = new AbortController();
    const stuck = [1, 2].map(() => drainEndpoint({ ...ctx, signal: stop.signal }, { endpointId: hanging }));
    ratios.push((await run(`${round}: it is tried, and hangs`, endpoints, orders)).p95 / alone);
    stop.abort();
    await Promise.all(stuck);
  }
  console.log(`p95 while it hangs: ${percentile(ratios, 0.5).toFixed(2)} × without (median of ${rounds}, aim ≤ 1.10)`);
} finally {
  receiver.kill();
  await bench.stop();
}

async function endpointAt(path: string): Promise<string> {
  const { endpoint } = await createEndpoint(ctx, { url: url + path, events: ['order.paid'], concurrency });
  return endpoint.id;
}

/** Deliver so many to each endpoint; returns the rate, and the 95th percentile of the delay after each was due. */
async function run(
  name: string,
  endpoints: readonly string[],
  orders: readonly string[],
): Promise<{ perSecond: number; p95: number }> {
  await wait(endpoints, orders, perEndpoint);
  const before = process.cpuUsage();
  const seconds = await timed(() =>
    Promise.all(endpoints.flatMap((endpointId) => [1, 2].map(() => drainEndpoint(ctx, { endpointId })))),
  );
  const { user, system } = process.cpuUsage(before);
  const total = endpoints.length * perEndpoint;
  const response = await request(`${url}/latencies`);
  const latencies = JSON.parse(await response.body.text());
  if (latencies.length !== total) throw new Error(`${latencies.length} of ${total} deliveries came.`);
  const cpu = ((user + system) / total).toFixed(0);
  console.log(
    `${name}: ${perSecond(total / seconds)} deliveries/s, ${cpu} µs of this process's time each, ` +
      `p95 ${percentile(latencies, 0.95)} ms`,
  );
  return { perSecond: total / seconds, p95: percentile(latencies, 0.95) };
}

/** Let so many events wait for each endpoint, as the transactions of their orders would have written them. */
async function wait(endpoints: readonly string[], orders: readonly string[], count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    id: newId('evt'),
    orderId: orders[index % orders.length],
  }));
  await transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    await ctx.tx.execute(sql`
      insert into events (tenant_id, id, type, object_id, created_at)
      select ${ctx.tenant.id}, id, 'order.paid', "orderId", ${now}
      from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e(id text, "orderId" text)`);
    for (const endpointId of endpoints) {
      const deliveries = events.map(({ id: eventId }) => ({ id: newId('whd'), eventId }));
      await ctx.tx.execute(sql`
        insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, state, next_attempt_at, created_at)
        select ${ctx.tenant.id}, id, ${endpointId}, "eventId", 'pending', ${now}, ${now}
        from jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb) as d(id text, "eventId" text)`);
    }
  });
}

async function bareRequests(): Promise<number> {
  const agent = new Agent({ connections: concurrency * endpointCount });
  const body = JSON.stringify({ timestamp: new Date().toISOString(), filler: 'x'.repeat(1200) });
  const count = endpointCount * perEndpoint;
  const seconds = await timed(() =>
    inParallel(Array.from({ length: count }), concurrency * endpointCount, async () => {
      const response = await request(`${url}/0`, { method: 'POST', body, dispatcher: agent });
      await response.body.dump();
    }),
  );
  await agent.close();
  await (await request(`${url}/latencies`)).body.dump();
  return count / seconds;
}

function perSecond(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
