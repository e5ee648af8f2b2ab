import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { readConfig } from '#src/config.ts';
import { silentLog } from '#src/lib/log.ts';
import { shippoControl } from '#src/local/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/local/simulators/shippo/simulator.ts';
import { createServices, type Services } from '#src/services.ts';
import { request } from '#test/domain/shipping/support.ts';
import { serveApi } from '#test/support/api.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { seededRandom } from '#test/support/random.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { countLabels, type LabelCounts } from './label-counts.ts';
import { misbehaveAsProvider } from './label-faults.ts';
import { pressRetries } from './label-operator.ts';
import { huntLabelWorkers, type LabelWorkers } from './label-workers.ts';

export interface LabelChaosOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly seed: number;
  readonly orders: number;
  readonly stores: number;
  readonly workers: number;
  readonly killsMax: number;
  readonly undisturbedMax: number;
  readonly freezeEveryMs?: number;
  /** When Redis is wiped. Each time, what was relayed before is healed later: its intervals double. */
  readonly flushAfterMs?: readonly number[];
  /** How long everything may take to come right. */
  readonly settleMs: number;
  readonly report: (line: string) => void;
}

/** Waits of seconds instead of hours. A lease outlives the longest call by fifteen seconds, here as everywhere. */
const quick = {
  LABEL_BUY_TIMEOUT: '2s', LABEL_LOOKUP_GRACE: '2s', LABEL_RETRY_SCHEDULE: '0s,1s,1s,2s,2s,3s', BREAKER_OPEN: '1s',
  SWEEP_INTERVAL: '3s', LOG_LEVEL: 'silent', RATE_LIMIT_SCALE: '1000',
};
const freezeForMs = 20_000;

/**
 * Ask for the labels of many paid orders while their workers are killed and frozen at every point of the protocol, the
 * provider loses its replies, Redis is wiped, and somebody presses Retry all the while. Answers what does not hold.
 */
export async function runLabelChaos(options: LabelChaosOptions): Promise<readonly string[]> {
  const { seed, orders, stores, report } = options;
  const simulator = await startShippoSimulator({ seed });
  const environment = environmentOf(options, simulator.url);
  const services = await createServices(readConfig(environment), 'chaos', { log: silentLog });
  const relay = startRelay(services);
  const api = await serveApi(services, { isRecorded: false });
  const flushing = flushRedis(options);
  let workers: LabelWorkers | undefined;
  try {
    const tokens = await openStores(services, { stores, orders, hooks: api.url, shippoUrl: simulator.url });
    report(`${orders} paid orders of ${stores} stores ask for their labels.`);
    const provider = await misbehaveAsProvider(simulator.url, tokens, seededRandom(seed + 1));
    const operator = pressRetries(api.url, seededRandom(seed + 2));
    const startedAt = performance.now();
    workers = huntLabelWorkers({ ...options, environment, random: seededRandom(seed), freezeForMs });
    const deadline = startedAt + options.settleMs;
    const count = () => countLabels(services, simulator.url, tokens);
    await follow(count, { until: ({ kept }) => kept >= orders, deadline, report });
    workers.spare();
    await Promise.all([provider.end(), flushing.end()]);
    const counts = await follow(count, { until: ({ breaches }) => breaches.length === 0, deadline, report });
    summarise({ ...options, counts, hunted: workers, presses: await operator.end(), flushes: flushing.count(), ms: performance.now() - startedAt });
    return counts.breaches;
  } finally {
    await flushing.end();
    await workers?.stop();
    await relay.close();
    await api.close();
    await services.close();
    await simulator.close();
  }
}

function environmentOf({ databaseUrl, redisUrl }: LabelChaosOptions, shippoUrl: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '', ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
    APP_MODE: 'test', LOCAL_MODE: '1', PORT: '0', DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SHIPPO_API_BASE: shippoUrl,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`, KEY_PEPPER: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'Storefront <hello@storefront.example>', ...quick,
  };
}

/** Answers the token of each store's account at the provider, which tells the shop of what happens there. */
async function openStores(
  services: Services,
  { stores, orders, hooks, shippoUrl }: { stores: number; orders: number; hooks: string; shippoUrl: string },
): Promise<string[]> {
  const tokens: string[] = [];
  for (let store = 0; store < stores; store += 1) {
    const tenant = await buildTenant(services);
    const ctx = { ...services.context(), tenant };
    const { api_key: token, webhook_token: secret } = await buildShippingAccount(ctx);
    await shippoControl(shippoUrl).registerWebhook(token, { url: `${hooks}/api/webhooks/shippo/${tenant.slug}?token=${secret}`, event: 'all' });
    tokens.push(token);
    let left = Math.floor(orders / stores) + (store < orders % stores ? 1 : 0);
    await Promise.all(Array.from({ length: 4 }, async () => {
      while (left-- > 0) await request(ctx);
    }));
  }
  return tokens;
}

async function follow(
  count: () => Promise<LabelCounts>,
  { until, deadline, report }: { until: (counts: LabelCounts) => boolean; deadline: number; report: (line: string) => void },
): Promise<LabelCounts> {
  for (let round = 0; ; round += 1) {
    const counts = await count();
    if (until(counts) || performance.now() > deadline) return counts;
    if (round % 10 === 9) report(`  ${counts.kept} labels are bought, ${counts.sold - counts.kept} were one too many or are being refunded; ${counts.breaches.length} things are open.`);
    await pause(2000);
  }
}

function flushRedis({ redisUrl, flushAfterMs = [] }: LabelChaosOptions): { end(): Promise<void>; count(): number } {
  const over = new AbortController();
  let flushes = 0;
  const flushing = (async () => {
    for (const [index, at] of flushAfterMs.entries()) {
      const waited = await pause(at - (flushAfterMs[index - 1] ?? 0), true, { signal: over.signal }).catch(() => false);
      if (!waited) return;
      const redis = new Redis(redisUrl);
      await redis.flushdb();
      redis.disconnect();
      flushes += 1;
    }
  })();
  return { count: () => flushes, end: () => (over.abort(), flushing) };
}

function summarise(run: LabelChaosOptions & { counts: LabelCounts; hunted: LabelWorkers; presses: number; flushes: number; ms: number }): void {
  const { report, counts, hunted, orders } = run;
  const struck = [...hunted.killedAt].filter(([, kills]) => kills > 0);
  report(`${hunted.counts.kills} × kill -9 at ${struck.length} of ${hunted.killedAt.size} points, ${hunted.counts.freezes} × frozen past the lease, ${run.flushes} × Redis wiped, ${run.presses} × Retry pressed, in ${Math.round(run.ms / 1000)} s:`);
  for (const [point, kills] of struck.toSorted(([left], [right]) => left.localeCompare(right))) report(`  ${String(kills).padStart(4)} × ${point}`);
  report(`${orders} orders; at the provider ${counts.sold} labels were ever paid for, ${counts.kept} are kept, ${counts.refunded} were second ones and are refunded, ${counts.sold - counts.kept - counts.refunded} are orphans.`);
}
