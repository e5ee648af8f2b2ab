import { setTimeout } from 'node:timers/promises';

import { Redis } from 'ioredis';
import pg from 'pg';

import { startReceiver } from '#src/dev/demo/receiver.ts';
import { type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { until } from '#test/support/until.ts';
import { type Buyer, openBuyer } from './buyer.ts';
import { countStatementsSent, parentOf, processorMsOf, processorMsOfFamily } from './costs.ts';

/** A store with real processes to buy from. */
export interface OrderFixture extends Buyer {
  /** What its processes know. */
  readonly environment: Readonly<Record<string, string>>;
  readonly url: string;
  /** The web process and the workers, by their names in the Procfile. */
  readonly processes: Stack['processes'];
  /** Start a process again after it was killed. */
  restart: Stack['restart'];
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
    durable: true,
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
  await rows(`update variants set stock = null`);
  const buyer = await openBuyer(stack, rows);
  const [{ pid: backend }] = await rows('select pg_backend_pid() as pid');
  const redisPid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);

  return {
    environment: stack.environment,
    url: stack.url,
    processes: stack.processes,
    restart: stack.restart,
    ...buyer,

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
        not exists (select from outbox where finished_at is null and due_at <= now())
        and not exists (select from analytics_batches)`,
      );
    },

    async waiting() {
      return rows(`
        select job, count(*)::int as count from outbox
        where finished_at is null and due_at <= now() group by job order by job`);
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
