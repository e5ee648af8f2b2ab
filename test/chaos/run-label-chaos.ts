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
import { type LabelSimulation, type LabelStore, openLabelStore, waitAWhile } from './label-actions.ts';
import {
  compareCosts,
  countLabels,
  countLostReplies,
  describePoints,
  describeReplies,
  type LabelCounts,
} from './label-counts.ts';
import { flushRedis, injectProviderFaults } from './label-faults.ts';
import { pressRetries } from './label-operator.ts';
import { type LabelWorkers, labelEnvironment, startLabelWorkers } from './label-workers.ts';
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
  readonly skippedPointsMax: number;
  /** The points to cover; the default is those that are passed. */
  readonly recording?: Recording;
  readonly freezeEveryMs?: number;
  /** When Redis is flushed. Each time, jobs that were relayed before recover later: their intervals double. */
  readonly flushAfterMs?: readonly number[];
  /** How long everything may take to recover. */
  readonly resolveMs: number;
  readonly report: (line: string) => void;
}

const freezeForMs = 20_000;
/** At most so many uncovered points are listed. */
const fewMissing = 20;
/** The maximum time without a newly covered point. */
const stalledMs = 180_000;
/** The requests of the provider in the short form, which has no recording. */
const defaultRequests = ['POST /transactions', 'GET /transactions', 'POST /shipments', 'POST /refunds'];

/**
 * Request the labels of many paid orders while their workers are killed and frozen at every point of the protocol, the
 * provider's responses are lost, Redis is flushed, and an operator presses Retry.
 *
 * @returns the violated invariants
 */
export async function runLabelChaos(options: LabelChaosOptions): Promise<readonly string[]> {
  const { seed, orders, stores, report, resolveMs, recording } = options;
  const points = [...(recording?.points.keys() ?? [])];
  const requests = recording?.requests ?? defaultRequests;
  const simulator = await startShippoSimulator({ seed });
  const environment = { ...labelEnvironment(options.databaseUrl, options.redisUrl), SHIPPO_API_BASE: simulator.url };
  const services = await createServices(readConfig(observerEnvironment(environment)), 'chaos', { log: silentLog });
  const relay = startRelay(services);
  const api = await serveApi(services, { isRecorded: false });
  const simulation: LabelSimulation = { services, shippoUrl: simulator.url, hooks: api.url, advance: waitAWhile };
  const flushing = flushRedis(options.redisUrl, options.flushAfterMs ?? []);
  let workers: LabelWorkers | undefined;
  let sent: SentOrders | undefined;
  try {
    const batch: LabelStore[] = [];
    while (batch.length < stores) batch.push(await openLabelStore(simulation));
    const all = [...batch];
    const unattended = new Set<string>();
    const random = seededRandom(seed + 1);
    const provider = await injectProviderFaults(simulator.url, {
      requests,
      tokens: batch.map(({ token }) => token),
      random,
    });
    const operator = pressRetries(api.url, seededRandom(seed + 2), (tenantId) => unattended.has(tenantId));
    const startedAt = performance.now();
    const killsMin = Math.min(100, options.killsMax);
    const labelWorkers = startLabelWorkers({
      ...options,
      environment,
      points,
      killsMin,
      random: seededRandom(seed),
      freezeForMs,
    });
    workers = labelWorkers;
    const deadline = startedAt + resolveMs;
    const progress = followProgress(labelWorkers);
    sent = sendLabelOrders({
      simulation,
      orders,
      batch,
      recording,
      missing: labelWorkers.missing,
      mayGoOn: () =>
        labelWorkers.counts.kills < options.killsMax && performance.now() < deadline && progress.isBeingMade(),
      opened(store, { isUnattended }) {
        all.push(store);
        if (isUnattended) unattended.add(store.ctx.tenant.id);
      },
    });
    const sending = sent;
    const count = () => countLabels(services, simulator.url, all);
    const reportProgress = ({ active, purchased }: LabelCounts) => {
      const [{ batch, single }, { kills }, missing] = [sending.counts, labelWorkers.counts, labelWorkers.missing()];
      const left = `${missing.length} of ${labelWorkers.killedAt.size} points not covered yet`;
      report(
        `  ${batch + single} orders, ${active} labels active, ${purchased - active} refunded; ` +
          `${kills} × kill -9, ${left}`,
      );
      if (missing.length <= fewMissing) for (const point of missing) report(`    ${point}`);
    };
    const daily = recording && enqueueOften(services);
    await watch(count, {
      until: ({ active, orders: known }) => sending.isDone && active >= known,
      deadline,
      reportProgress,
    });
    await daily?.end();
    labelWorkers.stopKilling();
    const replies = await countLostReplies(simulator.url);
    await Promise.all([sent.end(), provider.end(), flushing.end()]);
    await makeRechecksDue(services);
    const last = Math.max(deadline, performance.now() + 60_000);
    const counts = await watch(count, {
      until: ({ breaches }) => breaches.length === 0,
      deadline: last,
      reportProgress,
    });
    const presses = await operator.end();
    const { kills, freezes } = labelWorkers.counts;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    report(
      `${kills} × kill -9, ${freezes} × frozen past the lease, ${flushing.count()} × Redis flushed, ` +
        `${presses} × Retry pressed, in ${seconds} s.`,
    );
    for (const line of [
      ...describePoints(labelWorkers.killedAt, new Set(points)),
      ...describeReplies(requests, replies),
    ])
      report(line);
    const { purchased, active, refunded } = counts;
    report(
      `${counts.orders} orders; at the provider ${purchased} labels were ever paid for, ${active} are active, ` +
        `${refunded} are refunded, ${purchased - active - refunded} are orphans.`,
    );
    return [
      ...counts.breaches,
      ...(await compareCosts(simulator.url, all)),
      ...(recording ? labelWorkers.missing().map((point) => `no kill at: ${point}`) : []),
      ...(recording ? withoutLostResponse(requests, replies) : []),
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

/** The run counts and never gives up: its own connections are waited for, however busy the machine is. */
function observerEnvironment(environment: ReturnType<typeof labelEnvironment>): typeof environment {
  const databaseUrl = new URL(environment['DATABASE_URL'] ?? '');
  databaseUrl.searchParams.set('connect_timeout', '60');
  return { ...environment, DATABASE_URL: databaseUrl.href, DATABASE_POOL_MAX: '20' };
}

/** Whether a point was covered recently; a point that is no longer reached is not waited for. */
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

/** Enqueue a daily job every few seconds. */
function enqueueOften(services: Services): { end(): Promise<void> } {
  const over = new AbortController();
  const enqueuing = (async () => {
    for (let period = 1; await pause(5000, true, { signal: over.signal }).catch(() => false); period += 1) {
      await asPlatform(services.context(), 'the schedule belongs to no store', async (ctx) =>
        enqueue(ctx, pruneNotifications, { period }),
      );
    }
  })();
  return {
    end: () => {
      over.abort();
      return enqueuing;
    },
  };
}

/** Make the lookups for second labels, which are due in an hour and the next day, due now. */
async function makeRechecksDue(services: Services): Promise<void> {
  await asPlatform(services.context(), 'the labels of every store are due for another lookup', (ctx) =>
    ctx.tx.execute(sql`
    update labels set recheck_at = ${services.clock.now()} where recheck_at is not null and state <> 'voided'`),
  );
}

function withoutLostResponse(
  requests: readonly string[],
  replies: Awaited<ReturnType<typeof countLostReplies>>,
): string[] {
  return requests.flatMap((request) => {
    const { before, after } = replies.get(request) ?? { before: 0, after: 0 };
    return [
      ...(before > 0 ? [] : [`no response was lost before ${request}`]),
      ...(after > 0 ? [] : [`no response was lost after ${request}`]),
    ];
  });
}

async function watch(
  count: () => Promise<LabelCounts>,
  {
    until,
    deadline,
    reportProgress,
  }: { until: (counts: LabelCounts) => boolean; deadline: number; reportProgress: (counts: LabelCounts) => void },
): Promise<LabelCounts> {
  for (let round = 0; ; round += 1) {
    const counts = await count();
    if (until(counts) || performance.now() > deadline) return counts;
    if (round % 10 === 9) reportProgress(counts);
    await pause(2000);
  }
}
