import { setTimeout } from 'node:timers/promises';

import { Redis } from 'ioredis';
import pg from 'pg';

import { startReceiver } from '#src/dev/demo/receiver.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStack } from '#src/dev/stack/start-stack.ts';
import { until } from '#test/support/until.ts';
import { countStatementsSent, parentOf, processorMsOf, processorMsOfFamily } from './costs.ts';

/** A store with real processes to buy from. */
export interface OrderFixture {
  /** What its processes know. */
  readonly environment: Readonly<Record<string, string>>;
  /** One shopper's way from an empty cart to the paid session. */
  buy(): Promise<void>;
  /** Work with these workers of the Procfile and no others. */
  workWith(names: readonly string[]): Promise<void>;
  /** Every order is paid. */
  allPaid(): Promise<void>;
  /** Every due job is completed, and every analytics event is aggregated. */
  settled(): Promise<void>;
  /** The due jobs that are not completed, by name. */
  waiting(): Promise<{ job: string; count: number }[]>;
  /**
   * For each order that was paid since: milliseconds from its event's acceptance to the end of the transaction that
   * enqueued its label.
   */
  enqueuedAfterMs(since: Date): Promise<number[]>;
  /** For each order that was paid since: milliseconds from its event's acceptance to what follows, if that is done. */
  followedAfterMs(since: Date): Promise<{ label: number | null; delivered: number | null }[]>;
  /** What has been used so far: processor time by part, in milliseconds, and statements sent. */
  usage(): Promise<Usage>;
  close(): Promise<void>;
}

export interface Usage {
  readonly processorMs: ReadonlyMap<string, number>;
  readonly statements: number;
}

export async function openOrderFixture(workers: readonly string[]): Promise<OrderFixture> {
  const receiver = await startReceiver();
  const statements = countStatementsSent();
  const stack = await startStack(receiver, {
    workers,
    environment: { LOG_LEVEL: 'info', RATE_LIMIT_SCALE: '1000000', ...statements.environment },
  });
  const redis = new Redis(stack.redisUrl);
  const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
  await client.connect();
  const rows = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
  /** The query itself costs PostgreSQL time that counts for the orders, so it is rare. */
  const all = (what: string, condition: string) =>
    until(async () => (await rows(`select ${condition} as done`))[0].done, {
      withinMs: 120_000,
      everyMs: 50,
      what,
    });
  const stripe = stripeControl(stack.stripeUrl);
  await rows(`update variants set stock = null`);

  async function request(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${stack.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${stack.store.publishableKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  const { product } = await request('GET', '/products/oak-bowl');
  const variantId = product.variants[0].id;
  const [{ pid: backend }] = await rows('select pg_backend_pid() as pid');
  const redisPid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  let shoppers = 0;

  return {
    environment: stack.environment,

    async buy() {
      const email = `buyer-${(shoppers += 1)}@bench.example`;
      const { cart } = await request('POST', '/cart', {});
      await request('POST', `/cart/${cart.id}/items`, { variantId, quantity: 1 });
      await request('GET', `/cart/${cart.id}`);
      const session = await request('POST', '/checkout/sessions', {
        items: [{ product_slug: product.slug, variant_id: variantId, quantity: 1 }],
        customer_email: email,
        cart_id: cart.id,
      });
      await stripe.pay(session.checkout_url.split('/').at(-1), { outcome: 'paid', email });
    },

    async workWith(names) {
      const running = [...stack.processes.keys()].filter((name) => name !== 'web');
      await Promise.all(
        running
          .filter((name) => !names.includes(name))
          .map(async (name) => {
            await stack.processes.get(name)?.stop();
            stack.processes.delete(name);
          }),
      );
      await Promise.all(names.filter((name) => !running.includes(name)).map((name) => stack.restart(name)));
    },

    async allPaid() {
      await all('every order to be paid', `not exists (select from orders where status <> 'paid')`);
    },

    async settled() {
      await all(
        'the end of all that orders cause',
        `
        not exists (select from outbox where finished_at is null and failed_at is null and due_at <= now())
        and not exists (select from analytics_batches)`,
      );
    },

    async waiting() {
      return rows(`
        select job, count(*)::int as count from outbox
        where finished_at is null and failed_at is null and due_at <= now() group by job order by job`);
    },

    async enqueuedAfterMs(since) {
      const waits = await rows(
        `
        select extract(epoch from p.finished_at - e.received_at)::float8 * 1000 as ms
        from orders o
        join payment_sessions s on s.tenant_id = o.tenant_id and s.order_id = o.id
        join payment_events e on e.tenant_id = o.tenant_id and e.object_id = s.provider_session_id
        join outbox p on p.tenant_id = o.tenant_id and p.job = 'payments.reconcile-payment-event'
          and p.key = e.id || ':1'
        join labels l on l.tenant_id = o.tenant_id and l.order_id = o.id
        where e.received_at >= $1`,
        [since],
      );
      return waits.map(({ ms }) => ms);
    },

    async followedAfterMs(since) {
      return rows(
        `
        select extract(epoch from min(l.purchased_at) - min(e.received_at))::float8 * 1000 as label,
          extract(epoch from min(d.finished_at) - min(e.received_at))::float8 * 1000 as delivered
        from orders o
        join payment_sessions s on s.tenant_id = o.tenant_id and s.order_id = o.id
        join payment_events e on e.tenant_id = o.tenant_id and e.object_id = s.provider_session_id
        left join labels l on l.tenant_id = o.tenant_id and l.order_id = o.id
        left join events paid on paid.tenant_id = o.tenant_id and paid.object_id = o.id and paid.type = 'order.paid'
        left join webhook_deliveries d on d.tenant_id = o.tenant_id and d.event_id = paid.id and d.state = 'delivered'
        where o.created_at >= $1
        group by o.id`,
        [since],
      );
    },

    async usage() {
      // Statements are written down a moment after they were sent.
      await setTimeout(200);
      const processes = [...stack.processes].map(([name, { pid }]) => [name, processorMsOf(pid)] as const);
      return {
        statements: statements.read(),
        processorMs: new Map([
          ...processes,
          ['PostgreSQL', processorMsOfFamily(parentOf(backend))],
          ['Redis', processorMsOf(redisPid)],
          ['shoppers and simulators', processorMsOf(process.pid)],
        ]),
      };
    },

    async close() {
      await client.end();
      redis.disconnect();
      await stack.stop();
      statements.end();
      receiver.close();
    },
  };
}
