import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startReceiver } from '#src/dev/demo/receiver.ts';
import { startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { seededRandom } from '#test/support/random.ts';
import { type RedisCluster, startRedisCluster } from '#test/support/redis-cluster.ts';
import { until } from '#test/support/until.ts';
import { type Invariants, openInvariants } from './invariants.ts';
import { quickSchedules } from './quick-schedules.ts';
import { type ObservedResponse, type Purchase, requestUntilAccepted, sendShoppers } from './shoppers.ts';

export interface FailoverOptions {
  /** Only a Redis master that is killed. */
  readonly isShort?: boolean;
  /** How long PostgreSQL is stopped at least. */
  readonly downMs?: number;
  readonly report: (line: string) => void;
}

/** What shoppers saw of one failure. */
export interface Failover {
  readonly what: string;
  /** Responses of 503 with Retry-After. */
  readonly rejected: number;
  readonly slowestMs: number;
  /** The statuses of `/readyz`. */
  readonly readiness: ReadonlySet<number>;
  /** From the failure until every order that was paid meanwhile had its label, webhooks and emails. */
  readonly resolvedMs: number;
  /** Any other error that a shopper saw, and the violated invariants. */
  readonly breaches: readonly string[];
}

const quick = {
  ...quickSchedules,
  LABEL_BUY_TIMEOUT: '5s',
  RATE_LIMIT_SCALE: '1000',
};
const resolveMaxMs = 120_000;
const betweenShoppersMs = 250;
/** Counting what is left to do takes processor time from it. */
const betweenCountsMs = 500;

/**
 * Sell while a master of a Redis Cluster is killed, and while PostgreSQL crashes and is stopped. No process of the
 * service is restarted by that.
 */
export async function runFailover({ isShort = false, downMs = 0, report }: FailoverOptions): Promise<Failover[]> {
  const receiver = await startReceiver();
  const cluster = await startRedisCluster();
  const postgres = await startEmbedded();
  const stops = [postgres.stop, cluster.stop, async () => receiver.close()];
  try {
    await commitToDisk(postgres.databaseUrl);
    const environment = { ...quick, DATABASE_URL: postgres.databaseUrl, REDIS_URL: cluster.url };
    const stack = await startStack(receiver, { workers: 'all', environment, report });
    stops.unshift(stack.stop);
    const invariants = await openInvariants(stack, receiver);
    stops.unshift(invariants.close);
    const sales = openSales(stack, invariants, report);
    const failures: Failure[] = [
      ['a Redis master is killed', () => killMaster(cluster)],
      ['a process starts while a Redis master is down', () => replaceWorker(cluster, stack)],
      ['PostgreSQL crashes and restarts', () => postgres.restartPostgres({ signal: 'SIGQUIT' })],
      [
        'PostgreSQL is stopped and started',
        (seen) =>
          postgres.restartPostgres({
            async whileDown() {
              await Promise.all([pause(downMs), until(() => seen.some(({ status }) => status === 503))]);
            },
          }),
      ],
    ];
    const failovers: Failover[] = [];
    for (const [what, fail] of isShort ? failures.slice(0, 1) : failures)
      failovers.push(await sales.sellDuring(what, fail));
    return failovers;
  } finally {
    for (const stop of stops) await stop();
  }
}

/** What happens, and how to make it happen; it is passed the responses that shoppers get meanwhile. */
type Failure = [what: string, fail: (seen: readonly ObservedResponse[]) => Promise<void>];

/** A commit that was acknowledged survives a crash, as in production; for speed, the embedded server has that off. */
async function commitToDisk(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(`do $$ begin
    execute format('alter database %I set synchronous_commit = on', current_database());
  end $$`);
  await client.end();
}

/** The master of the queues that a shopper waits for. */
async function killMaster(cluster: RedisCluster): Promise<void> {
  const master = await cluster.masterOf('{payments}');
  await master.kill();
  await until(async () => (await cluster.masterOf('{payments}')).port !== master.port, {
    what: 'a replica to take over',
  });
}

/** The only worker is one that starts while the master is down. */
async function replaceWorker(cluster: RedisCluster, stack: Stack): Promise<void> {
  const master = await cluster.masterOf('{webhooks}');
  await stack.processes.get('worker')?.kill('SIGTERM');
  await master.kill();
  await stack.restart('worker');
}

function openSales(stack: Stack, invariants: Invariants, report: (line: string) => void) {
  const random = seededRandom(1);
  const bought: Purchase[] = [];
  let shoppers = 0;

  /** A shopper buys, and starts a cart that must be there afterwards. */
  async function sendShopper(observe: (response: ObservedResponse) => void): Promise<string> {
    shoppers += 1;
    const { cart } = (await requestUntilAccepted(stack, 'POST', '/cart', { body: {}, asShopper: true, observe })) as {
      cart: { id: string };
    };
    const options = { count: 1, atOnce: 1, firstNumber: shoppers, allPay: true, withKeys: false, observe };
    bought.push(...(await sendShoppers(stack, random, options)));
    return cart.id;
  }

  return {
    async sellDuring(...[what, fail]: Failure): Promise<Failover> {
      const seen: ObservedResponse[] = [];
      const readiness = new Set<number>();
      const carts: string[] = [];
      let isOver = false;
      const repeat = async (action: () => Promise<unknown>) => {
        while (!isOver) {
          await action();
          await pause(betweenShoppersMs);
        }
      };
      const load = Promise.all([
        repeat(async () => carts.push(await sendShopper((response) => seen.push(response)))),
        repeat(async () => readiness.add((await fetch(`${stack.url}/readyz`)).status)),
      ]);
      await Promise.race([load, until(() => carts.length > 0)]);

      report(`Now ${what}.`);
      const failedAt = performance.now();
      await Promise.race([load, fail(seen)]);
      const served = carts.length;
      await Promise.race([load, until(() => carts.length > served + 1)]);
      isOver = true;
      await load;
      const deadline = performance.now() + resolveMaxMs;
      let open = await invariants.findBreaches({ bought });
      while (open.length > 0 && performance.now() < deadline) {
        await pause(betweenCountsMs);
        open = await invariants.findBreaches({ bought });
      }
      const resolvedMs = performance.now() - failedAt;
      for (const id of carts) await requestUntilAccepted(stack, 'GET', `/cart/${id}`, { asShopper: true });
      return {
        what,
        rejected: seen.filter(isRejection).length,
        slowestMs: Math.max(...seen.map(({ tookMs }) => tookMs)),
        readiness,
        resolvedMs,
        breaches: [...seen.filter((one) => isError(one) && !isRejection(one)).map(describe), ...open],
      };
    },
  };
}

const isError = ({ status }: ObservedResponse) => status === undefined || status >= 500;
const isRejection = ({ status, retryAfter }: ObservedResponse) => status === 503 && Number(retryAfter) > 0;
const describe = ({ request, status, tookMs }: ObservedResponse) =>
  `${request}: ${status ?? 'no response'} after ${Math.round(tookMs)} ms`;
