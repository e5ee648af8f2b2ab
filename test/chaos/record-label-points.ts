import { jobs } from '#jobs/index.ts';
import { pollTrackings, sweepLabels } from '#jobs/labels.ts';
import { pruneNotifications } from '#jobs/retention.ts';
import { readConfig } from '#src/config.ts';
import { asPlatform } from '#src/database/transact.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { claimDue, claimStale } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { retryFailed } from '#src/outbox/job-state.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createShippoGateway } from '#src/providers/shippo/shippo-gateway.ts';
import { createServices } from '#src/services.ts';
import { serveApi } from '#test/support/api.ts';
import { createTestClock } from '#test/support/clock.ts';
import { processors } from '#workers/processors.ts';
import { runJob } from '#workers/runtime/run-job.ts';
import { type LabelSimulation, openLabelStore, runRecipe } from './label-actions.ts';
import { lineOf } from './label-counts.ts';
import { watchProtocol } from './label-points.ts';
import { type Recipe, recipes, withLostReply } from './label-recipes.ts';

/** What an undisturbed run of the protocol passed. */
export interface Recording {
  /** Each point, and the recipes that reach it. */
  readonly points: ReadonlyMap<string, readonly Recipe[]>;
  /** The recipes that together reach all points and requests. */
  readonly recipes: readonly Recipe[];
  /** The requests of the provider: each loses its response before its effect, and after. */
  readonly requests: readonly string[];
}

const byName = new Map(processors.map((processor) => [processor.job.name, processor]));
const labelJobs = jobs.map(({ name }) => name).filter((name) => name.startsWith('labels.'));
const max = 100;
/** After how many sweeps Retry is pressed in an unattended store. */
const unattendedPeriods = 20;

/**
 * Run the protocol through every situation of an order, one order and one job after the other, and once more for each
 * response that can be lost in it; record every point that is passed. The same code passes the same points.
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
  const neededRecipes: Recipe[] = [];
  const requests = new Set<string>();
  let failed: { id: string; name: string; tenantId: string | null }[] = [];
  let [period, attendedFrom] = [0, 0];

  /** Execute the due jobs; when there are none, press Retry on a failed job, or let time pass. */
  async function advance(): Promise<void> {
    await control.idle();
    const now = services.clock.now();
    const { claims: due } = await claimDue(services.execute, labelJobs, now);
    const chosen = due.length > 0 ? due : [...(await claimStale(services.execute, labelJobs, now, max))];
    const pressed = chosen.length === 0 && period >= attendedFrom ? failed.splice(0, 1) : [];
    for (const { id, job: name, tenantId } of chosen) await work({ id, name, tenantId });
    for (const { id } of pressed) await retryFailed(services.execute, { queue: 'labels', id }, now);
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
    const job = { id, name, attemptsMade: 0, opts: {} };
    const outcome = await runJob(services, byName, job, { shutdown: new AbortController().signal });
    if (outcome.kind === 'cancel') failed.push({ id, name, tenantId });
  }

  const simulation: LabelSimulation = { services, shippoUrl: simulator.url, hooks: api.url, advance };

  /** Returns whether it passed new points or made new requests, and its requests in order. */
  async function record(recipe: Recipe): Promise<{ isNew: boolean; requested: string[] }> {
    passed = new Set();
    failed = [];
    attendedFrom = recipe.isUnattended ? period + unattendedPeriods : 0;
    const store = await openLabelStore(simulation, recipe);
    await runRecipe(simulation, store, recipe);
    // Later lookups run, too.
    for (let poll = 0; poll < 3; poll += 1) {
      clock.pass(minutes(1));
      await sweep();
      for (let round = 0; round < 4; round += 1) await advance();
    }
    await control.clearFaults();
    const requested = (await control.requests('*'))
      .filter(({ account }) => account === store.token)
      .map(({ method, path }) => lineOf(method, path));
    const isNew = [...passed].some((point) => !points.has(point)) || requested.some((line) => !requests.has(line));
    for (const point of passed) points.set(point, [...(points.get(point) ?? []), recipe]);
    if (isNew) neededRecipes.push(recipe);
    for (const line of requested) requests.add(line);
    return { isNew, requested };
  }

  try {
    for (const recipe of situations) {
      const { isNew, requested } = await record(recipe);
      const times = new Map<string, number>();
      for (const line of requested) {
        const nth = (times.get(line) ?? 0) + 1;
        times.set(line, nth);
        if (!isNew) continue;
        await record(withLostReply(recipe, { match: line, nth }, 'reset_before'));
        // A request that only reads has no effect, whenever its response is lost.
        if (line.startsWith('POST')) await record(withLostReply(recipe, { match: line, nth }, 'reset_after'));
      }
    }
    return { points, recipes: neededRecipes, requests: [...requests].toSorted() };
  } finally {
    await api.close();
    await services.close();
    await simulator.close();
  }
}
