import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import type { Random } from '#test/support/random.ts';

export interface FaultInjection {
  /** The faults, in order, to understand a failed run. */
  readonly log: readonly string[];
  /** Inject none after this time. */
  endWithin(ms: number): void;
  /** Stop injecting faults and let everything run again. */
  end(): Promise<void>;
}

/** Longer than the lock of a job, whose holder is then believed dead. */
const frozenMsMax = 25_000;

type FaultType = (stack: Stack, random: Random, over: AbortSignal) => Promise<string>;

/** Severe faults are rarer. */
const faultTypes: readonly FaultType[] = [
  killProcess,
  killProcess,
  killProcess,
  killProcess,
  failStripe,
  failStripe,
  failShippo,
  failShippo,
  failShippo,
  flushRedis,
  fillRedis,
  restartPostgres,
  cutConnections,
];

/** How unreliably the providers' webhooks arrive: probabilities from 0 to 1. */
export interface WebhookFaults {
  readonly drop: number;
  readonly duplicate: number;
  readonly shuffle: boolean;
}

export interface FaultOptions {
  /** The average time between two faults; 0 for no faults except those of webhooks. */
  readonly everyMs: number;
  readonly webhooks: WebhookFaults;
}

/** Inject random faults until `end` is called. Webhooks of the providers are lost, repeated and reordered. */
export async function injectFaults(
  stack: Stack,
  random: Random,
  { everyMs, webhooks }: FaultOptions,
): Promise<FaultInjection> {
  const log: string[] = [];
  let endsAt = everyMs === 0 ? 0 : Infinity;
  const { drop, duplicate, shuffle } = webhooks;
  const seed = random.below(2 ** 31);
  const over = new AbortController();
  await stripeControl(stack.stripeUrl).deliveries({ drop, duplicate, reorder: shuffle, seed });
  await shippoControl(stack.shippoUrl).deliveries({ drop, duplicate, seed });

  const injectOf = async (types: readonly FaultType[]) => {
    while (performance.now() < endsAt) {
      await pause(everyMs * (0.5 + random.below(1000) / 1000));
      if (performance.now() < endsAt) log.push(await random.pick(types)(stack, random, over.signal));
    }
  };
  // While one process is frozen, all else goes on.
  const running = Promise.all([injectOf(faultTypes), injectOf([freezeProcess])]);

  return {
    log,
    endWithin(ms) {
      endsAt = performance.now() + ms;
    },
    async end() {
      endsAt = 0;
      over.abort();
      await running;
      await Promise.all([stripeControl(stack.stripeUrl).clearFaults(), shippoControl(stack.shippoUrl).clearFaults()]);
    },
  };
}

/** Kill a random process at any instruction; it restarts a moment later, as a dyno does. */
async function killProcess(stack: Stack, random: Random): Promise<string> {
  const name = random.pick([...stack.processes.keys()]);
  await stack.processes.get(name)?.kill('SIGKILL');
  await pause(random.below(500));
  await restartWithRetries(stack, name);
  return `killed ${name}`;
}

/** A process without its database exits, and is started again later. */
async function restartWithRetries(stack: Stack, name: string, attempts = 5): Promise<void> {
  try {
    await stack.restart(name);
  } catch (error) {
    if (attempts === 1) throw error;
    await pause(1000);
    await restartWithRetries(stack, name, attempts - 1);
  }
}

/**
 * Freeze a random process, often for longer than its locks and leases last; it goes on where it was, as one does whose
 * machine was suspended.
 */
async function freezeProcess(stack: Stack, random: Random, over: AbortSignal): Promise<string> {
  const [name, { pid }] = random.pick([...stack.processes]);
  const frozenMs = random.below(frozenMsMax);
  signal(pid, 'SIGSTOP');
  await pause(frozenMs, undefined, { signal: over }).catch(() => undefined);
  signal(pid, 'SIGCONT');
  return `froze ${name} for ${frozenMs} ms`;
}

/** Has no effect where the process was killed meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function flushRedis(stack: Stack): Promise<string> {
  const redis = new Redis(stack.redisUrl);
  await redis.flushall();
  redis.disconnect();
  return 'flushed redis';
}

/** Redis rejects all that would need memory. */
async function fillRedis(stack: Stack, random: Random): Promise<string> {
  const fullMs = random.below(5000);
  const redis = new Redis(stack.redisUrl);
  await redis.config('SET', 'maxmemory', 1);
  await pause(fullMs);
  await redis.config('SET', 'maxmemory', 0);
  redis.disconnect();
  return `filled redis for ${fullMs} ms`;
}

async function restartPostgres(stack: Stack): Promise<string> {
  await stack.restartPostgres();
  return 'restarted postgresql';
}

/** Connections end at any statement, also at a commit, of which nobody knows then whether it happened. */
async function cutConnections(stack: Stack, random: Random): Promise<string> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  const share = 1 + random.below(100);
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and pid % 100 < $1`,
    [share],
  );
  await client.end();
  return `cut ${share} % of the connections to postgresql`;
}

/** The provider returns an error, disconnects before or after the effect, or limits the rate. */
async function failStripe(stack: Stack, random: Random): Promise<string> {
  const match = random.pick(['POST /v1/checkout/sessions', 'GET /v1/checkout/sessions/*', '*']);
  const fault = random.pick([
    { kind: 'status', status: 500 },
    { kind: 'status', status: 500, after: true },
    { kind: 'status', status: 429 },
    { kind: 'reset_after' },
  ] as const);
  await stripeControl(stack.stripeUrl).addFault({ match, times: 3, ...fault });
  return `stripe: ${match} ${JSON.stringify(fault)}`;
}

async function failShippo(stack: Stack, random: Random): Promise<string> {
  const match = random.pick(['POST /transactions', 'POST /transactions', 'POST /shipments', 'GET /transactions']);
  const fault = random.pick([
    { kind: 'status', status: 500 },
    { kind: 'status', status: 500, after: true },
    { kind: 'status', status: 429 },
    { kind: 'reset_after' },
    { kind: 'reset_before' },
  ] as const);
  await shippoControl(stack.shippoUrl).fault({ match, times: 2, ...fault });
  return `shippo: ${match} ${JSON.stringify(fault)}`;
}
