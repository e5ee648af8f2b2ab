import pg from 'pg';

import { startReceiver } from '#src/local/demo/receiver.ts';
import { stripeControl } from '#src/local/simulators/stripe/control/control-client.ts';
import { startStack } from '#src/local/stack/start-stack.ts';
import { readOptions } from '#test/support/script-options.ts';
import { describeLatencies, inParallel } from './lib/numbers.ts';

/*
 * Orders from a cart to paid with the label promised, through the real web process and the real workers, with
 * simulators that answer at once.
 */

const { orders, 'at-once': width } = readOptions(
  'Orders per second from a cart to the promised label, through the real processes, and how long an accepted event takes.',
  'npm run bench -- orders',
  {
    orders: { default: 500, description: 'Orders to buy.' },
    'at-once': { default: 8, description: 'Shoppers at once.' },
  },
  '300 1',
);
const receiver = await startReceiver();
const stack = await startStack(receiver, { workers: 'all', environment: { LOG_LEVEL: 'info', RATE_LIMIT_SCALE: '1000000' } });

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

const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
await client.connect();
const one = async (text: string) => (await client.query(text)).rows[0];

try {
  await client.query(`update variants set stock = null`);
  const { product } = await ask('GET', '/products/oak-bowl');
  await inParallel(Array.from({ length: 20 }, (_, index) => index), width, (index) => buy(index, product));
  const startedAt = performance.now();
  const took = await inParallel(Array.from({ length: orders }, (_, index) => 1000 + index), width, (index) => buy(index, product));
  while ((await one(`select count(*)::int as count from orders where status = 'paid'`)).count < orders + 20) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const latencies = await client.query(`
    select extract(epoch from min(l.created_at) - min(e.received_at))::float8 * 1000 as ms
    from orders o join payment_sessions s on s.order_id = o.id join payment_events e on e.object_id = s.provider_session_id
    join labels l on l.order_id = o.id group by o.id`);
  console.log(`${orders} orders, ${width} at once: ${(orders / seconds).toFixed(1)} paid per second`);
  console.log(`cart, line, read, checkout, payment page: ${describeLatencies(took)}`);
  console.log(`event accepted to label promised: ${describeLatencies(latencies.rows.map(({ ms }) => ms))}`);
} finally {
  await client.end();
  await stack.stop();
  receiver.close();
}
