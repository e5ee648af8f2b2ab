import { setTimeout as pause } from 'node:timers/promises';

import { pruneNotifications } from '#jobs/retention.ts';
import { readConfig } from '#src/config.ts';
import { asPlatform } from '#src/database/transact.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { createServices, type Services } from '#src/services.ts';
import { serveApi } from '#test/support/api.ts';
import { seededRandom } from '#test/support/random.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { describePoints, describeReplies } from './describe-points.ts';
import { flushRedis } from './flush-redis.ts';
import { countLabels, countLostReplies, type LabelCounts } from './label-counts.ts';
import { type LabelSimulation, type LabelStore, openLabelStore, waitAWhile } from './label-desk.ts';
import { labelEnvironment } from './label-environment.ts';
import { misbehaveAsProvider } from './label-faults.ts';
import { pressRetries } from './label-operator.ts';
import { huntLabelWorkers, type LabelWorkers } from './label-workers.ts';
import type { Recording } from './record-label-points.ts';
import { type SentOrders, sendLabelOrders } from './send-label-orders.ts';

export interface LabelChaosOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly seed: number;
  readonly orders: number;
  readonly stores: number;
  readonly workers: number;
  readonly killsMax: number;
  readonly undisturbedMax: number;
  /** Which points there are: each is to be struck. Without it, it is whatever is passed. */
  readonly recording?: Recording;
  readonly freezeEveryMs?: number;
  /** When Redis is wiped. Each time, what was relayed before is healed later: its intervals double. */
  readonly flushAfterMs?: readonly number[];
  /** How long everything may take to come right. */
  readonly resolveMs: number;
  readonly report: (line: string) => void;
}

const freezeForMs = 20_000;
/** So few points that are left are named on the way. */
const fewMissing = 20;
/** So long it may take to come to a point that was not struck yet. */
const stalledMs = 180_000;
/** What is asked of the provider in the short form, which has no recording. */
const usualRequests = ['POST /transactions', 'GET /transactions', 'POST /shipments', 'POST /refunds'];

/**
 * Ask for the labels of many paid orders while their workers are killed and frozen at every point of the protocol, the
 * provider loses its replies, Redis is wiped, and somebody presses Retry all the while. Answers what does not hold.
 */
export async function runLabelChaos(options: LabelChaosOptions): Promise<readonly string[]> {
  const { seed, orders, stores, report, resolveMs, recording } = options;
  const points = [...(recording?.points.keys() ?? [])];
  const requests = recording?.requests ?? usualRequests;
  const simulator = await startShippoSimulator({ seed });
  const environment = { ...labelEnvironment(options.databaseUrl, options.redisUrl), SHIPPO_API_BASE: simulator.url };
  const services = await createServices(readConfig({ ...environment, DATABASE_POOL_MAX: '20' }), 'chaos', {
    log: silentLog,
  });
  const relay = startRelay(services);
  const api = await serveApi(services, { isRecorded: false });
  const world: LabelSimulation = { services, shippoUrl: simulator.url, hooks: api.url, goOn: waitAWhile };
  const flushing = flushRedis(options.redisUrl, options.flushAfterMs ?? []);
  let workers: LabelWorkers | undefined;
  let sent: SentOrders | undefined;
  try {
    const crowd: LabelStore[] = [];
    while (crowd.length < stores) crowd.push(await openLabelStore(world));
    const tokens = crowd.map(({ token }) => token);
    const unattended = new Set<string>();
    const random = seededRandom(seed + 1);
    const provider = await misbehaveAsProvider(simulator.url, { requests, tokens: [...tokens], random });
    const operator = pressRetries(api.url, seededRandom(seed + 2), (tenantId) => unattended.has(tenantId));
    const startedAt = performance.now();
    const killsMin = Math.min(100, options.killsMax);
    const hunt = huntLabelWorkers({
      ...options,
      environment,
      points,
      killsMin,
      random: seededRandom(seed),
      freezeForMs,
    });
    workers = hunt;
    const deadline = startedAt + resolveMs;
    const progress = followProgress(hunt);
    sent = sendLabelOrders({
      world,
      orders,
      crowd,
      recording,
      missing: hunt.missing,
      mayGoOn: () => hunt.counts.kills < options.killsMax && performance.now() < deadline && progress.isBeingMade(),
      opened({ token, ctx }, { isUnattended }) {
        tokens.push(token);
        if (isUnattended) unattended.add(ctx.tenant.id);
      },
    });
    const sending = sent;
    const count = () => countLabels(services, simulator.url, tokens);
    const tell = ({ kept, sold }: LabelCounts) => {
      const [{ crowd, single }, { kills }, missing] = [sending.counts, hunt.counts, hunt.missing()];
      const left = `${missing.length} of ${hunt.killedAt.size} points not struck yet`;
      report(`  ${crowd + single} orders, ${kept} labels kept, ${sold - kept} given back; ${kills} × kill -9, ${left}`);
      if (missing.length <= fewMissing) for (const point of missing) report(`    ${point}`);
    };
    const daily = recording && enqueueOften(services);
    await watch(count, { until: ({ kept, orders: known }) => sending.isDone && kept >= known, deadline, tell });
    await daily?.end();
    hunt.spare();
    const replies = await countLostReplies(simulator.url);
    await Promise.all([sent.end(), provider.end(), flushing.end()]);
    await letADayPass(services);
    const last = Math.max(deadline, performance.now() + 60_000);
    const counts = await watch(count, { until: ({ breaches }) => breaches.length === 0, deadline: last, tell });
    const presses = await operator.end();
    const { kills, freezes } = hunt.counts;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    report(
      `${kills} × kill -9, ${freezes} × frozen past the lease, ${flushing.count()} × Redis wiped, ${presses} × Retry pressed, in ${seconds} s.`,
    );
    for (const line of [...describePoints(hunt.killedAt, new Set(points)), ...describeReplies(requests, replies)])
      report(line);
    const { sold, kept, refunded } = counts;
    report(
      `${counts.orders} orders; at the provider ${sold} labels were ever paid for, ${kept} are kept, ${refunded} are refunded, ${sold - kept - refunded} are orphans.`,
    );
    return [
      ...counts.breaches,
      ...(recording ? hunt.missing().map((point) => `nobody died at: ${point}`) : []),
      ...(recording ? unlost(requests, replies) : []),
    ];
  } finally {
    await flushing.end();
    await workers?.stop();
    await relay.close();
    await api.close();
    await services.close();
    await simulator.close();
  }
}

/** Whether a point was struck for the first time lately: what nothing leads to any more is not waited for. */
function followProgress({ missing }: LabelWorkers): { isBeingMade(): boolean } {
  let [least, since] = [Infinity, performance.now()];
  return {
    isBeingMade() {
      const left = missing().length;
      if (left < least) [least, since] = [left, performance.now()];
      return performance.now() - since < stalledMs;
    },
  };
}

/** What comes once a day comes every few seconds. */
function enqueueOften(services: Services): { end(): Promise<void> } {
  const over = new AbortController();
  const promising = (async () => {
    for (let period = 1; await pause(5000, true, { signal: over.signal }).catch(() => false); period += 1) {
      await asPlatform(services.context(), 'the schedule belongs to no store', async (ctx) =>
        enqueue(ctx, pruneNotifications, { period }),
      );
    }
  })();
  return {
    end: () => {
      over.abort();
      return promising;
    },
  };
}

/** What failed to show a second label is asked again in an hour, and once more the next day: now. */
async function letADayPass(services: Services): Promise<void> {
  await asPlatform(services.context(), 'the labels of every store are due for another look', (ctx) =>
    ctx.tx.execute(sql`
    update labels set recheck_at = ${services.clock.now()} where recheck_at is not null and state <> 'voided'`),
  );
}

function unlost(requests: readonly string[], replies: Awaited<ReturnType<typeof countLostReplies>>): string[] {
  return requests.flatMap((request) => {
    const { before, after } = replies.get(request) ?? { before: 0, after: 0 };
    return [
      ...(before > 0 ? [] : [`no reply was lost before ${request}`]),
      ...(after > 0 ? [] : [`no reply was lost after ${request}`]),
    ];
  });
}

async function watch(
  count: () => Promise<LabelCounts>,
  {
    until,
    deadline,
    tell,
  }: { until: (counts: LabelCounts) => boolean; deadline: number; tell: (counts: LabelCounts) => void },
): Promise<LabelCounts> {
  for (let round = 0; ; round += 1) {
    const counts = await count();
    if (until(counts) || performance.now() > deadline) return counts;
    if (round % 10 === 9) tell(counts);
    await pause(2000);
  }
}
