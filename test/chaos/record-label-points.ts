import type { Job } from 'bullmq';
import { jobs } from '#jobs/index.ts';
import { pollTrackings, sweepLabels } from '#jobs/labels.ts';
import { pruneNotifications } from '#jobs/retention.ts';
import { readConfig } from '#src/config.ts';
import { asPlatform } from '#src/database/transact.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { claimDue, claimStale } from '#src/outbox/job-state.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createShippoGateway } from '#src/providers/shippo/shippo-gateway.ts';
import { createServices } from '#src/services.ts';
import { serveApi } from '#test/support/api.ts';
import { createTestClock } from '#test/support/clock.ts';
import { processors } from '#workers/processors.ts';
import { type Envelope, runJob } from '#workers/runtime/run-job.ts';
import { lineOf } from './label-counts.ts';
import { follow, type LabelSimulation, openLabelStore } from './label-desk.ts';
import { watchProtocol } from './label-points.ts';
import { losing, type Recipe, recipes } from './label-recipes.ts';

/** What a run of the protocol without disturbance passed. */
export interface Recording {
  /** Each point, and what happens to an order that comes to it. */
  readonly points: ReadonlyMap<string, readonly Recipe[]>;
  /** What has to happen so that all of them are passed, and everything is asked. */
  readonly recipes: readonly Recipe[];
  /** What the provider was asked: each of it loses its reply before it is done, and after. */
  readonly requests: readonly string[];
}

const byName = new Map(processors.map((processor) => [processor.job.name, processor]));
const worked = jobs.map(({ name }) => name).filter((name) => name.startsWith('labels.'));
const max = 100;

/**
 * Run the protocol once through everything that can happen to an order, one order and one job after the other, and once
 * more for each reply that can be lost in it; write down every point that is passed. The same code passes the same points.
 *
 * @param environment one that a process can start with, on an empty database
 */
export async function recordLabelPoints(
  environment: Record<string, string>,
  situations: readonly Recipe[] = recipes,
): Promise<Recording> {
  const simulator = await startShippoSimulator({ seed: 1 });
  const clock = createTestClock();
  const config = readConfig({ ...environment, SHIPPO_API_BASE: simulator.url });
  const breaker = new CircuitBreaker({ openMs: 1, failures: 1_000_000 });
  const gateway = createShippoGateway({ baseUrl: simulator.url, log: silentLog, breaker });
  const services = await createServices(config, 'recording', {
    clock,
    log: silentLog,
    ports: { shipping: new Proxy(gateway, { get: (_, name: keyof typeof gateway) => shipping[name] }) },
  });
  let passed = new Set<string>();
  const shipping = watchProtocol(services.context().database.pool, gateway, (point) => {
    if (!point.startsWith('runtime')) passed.add(point);
    return false;
  });
  const api = await serveApi(services, { isRecorded: false });
  const control = shippoControl(simulator.url);
  const points = new Map<string, Recipe[]>();
  const kept: Recipe[] = [];
  const requests = new Set<string>();
  let failed: { id: string; name: string; tenantId: string | null }[] = [];
  let [period, isAttended] = [0, true];

  /** What is due is worked; when nothing is, somebody presses Retry on what failed, or time passes. */
  async function goOn(): Promise<void> {
    await control.idle();
    const now = services.clock.now();
    const due = await claimDue(services.execute, worked, now, max);
    const chosen = due.length > 0 ? due : [...(await claimStale(services.execute, worked, now, max))];
    const pressed = chosen.length === 0 && isAttended ? failed.splice(0, 1) : [];
    for (const { id, job: name, tenantId } of chosen) await work({ id, name, tenantId });
    for (const job of pressed) await work(job);
    if (chosen.length + pressed.length > 0) return;
    clock.pass(seconds(20));
    await sweep();
  }

  async function sweep(): Promise<void> {
    period += 1;
    await asPlatform(services.context(), 'the schedule belongs to no store', async (ctx) => {
      enqueue(ctx, sweepLabels, { period });
      enqueue(ctx, pollTrackings, { period });
      enqueue(ctx, pruneNotifications, { period });
    });
  }

  async function work({ id, name, tenantId }: { id: string; name: string; tenantId: string | null }): Promise<void> {
    const job = { id, name, attemptsMade: 0, data: { tenantId, trace: {} } } as unknown as Job<Envelope>;
    const outcome = await runJob(services, byName, job, new AbortController().signal);
    if (outcome.kind === 'cancel') failed.push({ id, name, tenantId });
  }

  const world: LabelSimulation = { services, shippoUrl: simulator.url, hooks: api.url, goOn };

  /** Answers whether it passed or asked what nothing before did, and the requests in their order. */
  async function record(recipe: Recipe): Promise<{ isNew: boolean; asked: string[] }> {
    passed = new Set();
    failed = [];
    isAttended = !recipe.isUnattended;
    const store = await openLabelStore(world, recipe);
    await follow(world, store, recipe);
    // What is looked at again later, is.
    for (let look = 0; look < 3; look += 1) {
      clock.pass(minutes(1));
      await sweep();
      for (let round = 0; round < 4; round += 1) await goOn();
    }
    await control.clearFaults();
    const asked = (await control.requests('*'))
      .filter(({ account }) => account === store.token)
      .map(({ method, path }) => lineOf(method, path));
    const isNew = [...passed].some((point) => !points.has(point)) || asked.some((line) => !requests.has(line));
    for (const point of passed) points.set(point, [...(points.get(point) ?? []), recipe]);
    if (isNew) kept.push(recipe);
    for (const line of asked) requests.add(line);
    return { isNew, asked };
  }

  try {
    for (const recipe of situations) {
      const { isNew, asked } = await record(recipe);
      const times = new Map<string, number>();
      for (const line of asked) {
        const nth = (times.get(line) ?? 0) + 1;
        times.set(line, nth);
        if (!isNew) continue;
        await record(losing(recipe, { match: line, nth }, 'reset_before'));
        // What only reads has done nothing, whenever its reply is lost.
        if (line.startsWith('POST')) await record(losing(recipe, { match: line, nth }, 'reset_after'));
      }
    }
    return { points, recipes: kept, requests: [...requests].toSorted() };
  } finally {
    await api.close();
    await services.close();
    await simulator.close();
  }
}
