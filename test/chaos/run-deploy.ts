import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startReceiver } from '#src/dev/demo/receiver.ts';
import { freePort } from '#src/dev/embedded/free-port.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { type StackProcess, startProcess } from '#src/dev/stack/start-process.ts';
import { type Stack, startStack } from '#src/dev/stack/start-stack.ts';
import { handledEventTypes } from '#src/providers/stripe/events.ts';
import { seededRandom } from '#test/support/random.ts';
import { type Invariants, openInvariants } from './invariants.ts';
import { buildNextRelease, type NextRelease } from './next-release.ts';
import { quickSchedules } from './quick-schedules.ts';
import { startRouter } from './router.ts';
import { type Purchase, sendShoppers } from './shoppers.ts';

export interface DeployOptions {
  /** Shoppers in each of the three phases: old, both, new. */
  readonly orders: number;
  readonly atOnce: number;
  readonly report: (line: string) => void;
}

/** The result of a deployment. */
export interface Deployed {
  /** Requests that shoppers or providers saw fail. */
  readonly failures: readonly string[];
  /** The invariants that were violated, during the deployment or after it. */
  readonly breaches: readonly string[];
}

const quick = {
  ...quickSchedules,
  RATE_LIMIT_SCALE: '1000',
};
/** Heroku kills a process 30 seconds after SIGTERM. */
const stopMaxMs = 30_000;
/** How long a web process that ends goes on serving on a developer's machine. */
const noticeMs = 1000;
const resolveMs = 120_000;

/**
 * Deploy the next release while shoppers buy: it migrates, serves and works beside the old one, and then the old one
 * is stopped.
 */
export async function runDeploy({ orders, atOnce, report }: DeployOptions): Promise<Deployed> {
  const next = buildNextRelease();
  const receiver = await startReceiver();
  const stack = await startStack(receiver, { workers: 'all', environment: quick, report });
  const router = await startRouter(stack.url);
  const invariants = await openInvariants(stack, receiver);
  const routed: Stack = { ...stack, url: router.url };
  const random = seededRandom(1);
  const bought: Purchase[] = [];
  const started: StackProcess[] = [];
  const sell = async (firstNumber: number) => {
    bought.push(
      ...(await sendShoppers(routed, random, { count: orders, atOnce, firstNumber, allPay: true, withKeys: false })),
    );
  };

  try {
    await stripeControl(stack.stripeUrl).addWebhookEndpoint(stack.store.stripeKey, {
      url: `${router.url}/api/webhooks/stripe/${stack.store.slug}`,
      secret: stack.environment['STRIPE_WEBHOOK_SECRET'] ?? '',
      events: handledEventTypes,
    });
    const breaches: string[] = [];
    const [, migrated] = await Promise.all([sell(0), release(next, stack.environment)]);
    report(`The next release migrated under load: ${migrated.out.trim()}`);
    if (migrated.code !== 0) breaches.push(`the release phase ended with ${migrated.code}: ${migrated.err}`);

    const port = await freePort();
    const environment = { ...stack.environment, PORT: String(port) };
    const [web, worker] = [
      startProcess('next web', 'src/server.ts', environment, next.folder),
      startProcess('next worker', 'workers/all.ts', environment, next.folder),
    ];
    started.push(web, worker);
    await Promise.all([web.waitFor('listening'), worker.waitFor('working')]);
    await router.add(`http://127.0.0.1:${port}`);
    await sell(orders);
    report(`Both releases serve: ${[...router.responses].map(([, count]) => count).join(' and ')} requests.`);
    if (router.responses.size !== 2) breaches.push('only one release got requests');

    const stopping = ['web', 'worker'].map(async (name) => {
      const startedAt = performance.now();
      const code = await stack.processes.get(name)?.kill('SIGTERM');
      const ms = Math.round(performance.now() - startedAt);
      report(`The old ${name} ended with ${code} after ${ms} ms.`);
      if (code !== 0 || ms > stopMaxMs) breaches.push(`the old ${name} ended with ${code} after ${ms} ms`);
      if (name === 'web' && (router.closed.get(stack.url) ?? Infinity) < startedAt + noticeMs)
        breaches.push('the old web closed its port before a router could notice that it ends');
    });
    await Promise.all([sell(2 * orders), ...stopping]);

    const deadline = performance.now() + resolveMs;
    let open = await openFindings(stack, invariants, bought, next);
    while (open.length > 0 && performance.now() < deadline) {
      await pause(500);
      open = await openFindings(stack, invariants, bought, next);
    }
    return { failures: router.failures, breaches: [...breaches, ...open] };
  } finally {
    await Promise.all(started.map((process) => process.stop()));
    await router.close();
    await invariants.close();
    await stack.stop();
    receiver.close();
    next.remove();
  }
}

/** What Heroku runs before it starts a release. */
async function release({ folder }: NextRelease, environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'migrate'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { out, err, code };
}

/**
 * The invariants, and that jobs of both releases were completed: also those that a worker of the old one claimed first.
 */
async function openFindings(
  stack: Stack,
  invariants: Invariants,
  bought: readonly Purchase[],
  { jobs }: NextRelease,
): Promise<string[]> {
  const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
  await client.connect();
  try {
    const { rows } = await client.query<{ job: string; open: number; completed: number }>(
      `
      select job, count(*) filter (where finished_at is null and due_at < now() - interval '3 seconds')::int as open,
        count(*) filter (where finished_at is not null)::int as completed
      from outbox where job = any($1) group by job`,
      [jobs],
    );
    const {
      rows: [seen],
    } = await client.query<{ count: number }>(`select count(*)::int as count from orders where note = 'seen'`);
    return [
      ...(await invariants.findBreaches({ bought })),
      ...jobs
        .filter((job) => !rows.some((row) => row.job === job && row.completed > 0))
        .map((job) => `${job} was never completed`),
      ...rows.filter(({ open }) => open > 0).map(({ job, open }) => `${open} of ${job} are not completed`),
      ...(seen?.count === bought.length ? [] : [`${seen?.count} of ${bought.length} orders were seen by the new job`]),
    ];
  } finally {
    await client.end();
  }
}
