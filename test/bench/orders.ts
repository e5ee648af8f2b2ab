import { setTimeout } from 'node:timers/promises';

import { Redis } from 'ioredis';
import pg from 'pg';

import { startReceiver } from '#src/local/demo/receiver.ts';
import { stripeControl } from '#src/local/simulators/stripe/control/control-client.ts';
import { startStack } from '#src/local/stack/start-stack.ts';
import { readOptions } from '#src/cli/lib/script-options.ts';
import { until } from '#test/support/until.ts';
import { countStatementsSent, parentOf, processorMsOf, processorMsOfFamily } from './lib/costs.ts';
import { describeLatencies, inParallel } from './lib/numbers.ts';

/*
 * Orders from a cart to paid with the label promised, through the real web process and the real workers, with
 * simulators that answer at once. Where the machine does other things, too, what an order costs tells more than how many
 * there were in a second.
 */

const { orders, 'at-once': width } = readOptions(
  'Orders per second from a cart to the promised label, through the real processes; what one costs; and how long an accepted event takes.',
  'npm run bench -- orders',
  {
    orders: { default: 500, description: 'Orders to buy.' },
    'at-once': { default: 8, description: 'Shoppers at once.' },
  },
  '300 1',
);
const receiver = await startReceiver();
const statements = countStatementsSent();
const stack = await startStack(receiver, {
  workers: 'all', environment: { LOG_LEVEL: 'info', RATE_LIMIT_SCALE: '1000000', ...statements.environment },
});

async function ask(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${stack.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${stack.store.publishableKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function buy(number: number, product: { slug: string; variants: { id: string }[] }): Promise<void> {
  const email = `buyer-${number}@bench.example`;
  const variantId = product.variants[0]?.id ?? '';
  const { cart } = await ask('POST', '/cart', {});
  await ask('POST', `/cart/${cart.id}/items`, { variantId, quantity: 1 });
  await ask('GET', `/cart/${cart.id}`);
  const session = await ask('POST', '/checkout/sessions', {
    items: [{ product_slug: product.slug, variant_id: variantId, quantity: 1 }], customer_email: email, cart_id: cart.id,
  });
  await stripeControl(stack.stripeUrl).pay(session.checkout_url.split('/').at(-1), { outcome: 'paid', email });
}

const redis = new Redis(stack.redisUrl);
const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
await client.connect();
const one = async (text: string) => (await client.query(text)).rows[0];

/** Everything that orders cause is done: labels bought, mails sent, webhooks delivered, numbers folded. */
const settled = () => until(async () => (await one(`
  select not exists (select from outbox where finished_at is null and failed_at is null and due_at <= now())
    and not exists (select from analytics_batches) as done`)).done, { withinMs: 120_000, what: 'the end of all that orders cause' });

const [{ pid: backend }, redisInfo] = await Promise.all([one('select pg_backend_pid() as pid'), redis.info('server')]);
const costs: readonly { readonly name: string; ms(): number }[] = [
  { name: 'worker', ms: () => processorMsOf(stack.processes.get('worker')?.pid ?? 0) },
  { name: 'web', ms: () => processorMsOf(stack.processes.get('web')?.pid ?? 0) },
  { name: 'PostgreSQL', ms: () => processorMsOfFamily(parentOf(backend)) },
  { name: 'Redis', ms: () => processorMsOf(Number(/process_id:(\d+)/.exec(redisInfo)?.[1])) },
  { name: 'shoppers and simulators', ms: () => processorMsOf(process.pid) },
];

try {
  await client.query(`update variants set stock = null`);
  const { product } = await ask('GET', '/products/oak-bowl');
  await inParallel(Array.from({ length: 20 }, (_, index) => index), width, (index) => buy(index, product));
  await settled();
  // The count is as it was a moment ago.
  await setTimeout(200);
  const [usedBefore, sentBefore] = [costs.map(({ ms }) => ms()), statements.read()];
  const startedAt = performance.now();
  const took = await inParallel(Array.from({ length: orders }, (_, index) => 1000 + index), width, (index) => buy(index, product));
  await until(async () => (await one(`select count(*)::int as count from orders where status = 'paid'`)).count >= orders + 20, { withinMs: 120_000 });
  const seconds = (performance.now() - startedAt) / 1000;
  await settled();
  await setTimeout(200);
  const used = costs.map(({ name, ms }, index) => ({ name, ms: (ms() - (usedBefore[index] ?? 0)) / orders }));
  const total = used.reduce((sum, { ms }) => sum + ms, 0);
  const latencies = await client.query(`
    select extract(epoch from min(l.created_at) - min(e.received_at))::float8 * 1000 as ms
    from orders o join payment_sessions s on s.order_id = o.id join payment_events e on e.object_id = s.provider_session_id
    join labels l on l.order_id = o.id group by o.id`);
  console.log(`${orders} orders, ${width} at once: ${(orders / seconds).toFixed(1)} paid per second (aim 60 on 2 processors)`);
  console.log(`statements sent to PostgreSQL per order, until all is done: ${((statements.read() - sentBefore) / orders).toFixed(1)} (aim 60)`);
  console.log(`processor time per order: ${used.map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`).join(', ')}`);
  console.log(`that is ${total.toFixed(1)} ms in all, so that 2 processors with nothing else to do allow ${(2000 / total).toFixed(0)} per second`);
  console.log(`cart, line, read, checkout, payment page: ${describeLatencies(took)}`);
  console.log(`event accepted to label promised: ${describeLatencies(latencies.rows.map(({ ms }) => ms))}`);
} finally {
  await client.end();
  redis.disconnect();
  await stack.stop();
  statements.end();
  receiver.close();
}
