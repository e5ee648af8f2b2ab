import { writeSync } from 'node:fs';
import { readConfig } from '#src/config.ts';
import { runUntilSignalled } from '#src/lib/process.ts';
import { createLogger } from '#src/platform/logger.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createShippoGateway } from '#src/providers/shippo/shippo-gateway.ts';
import { createServices, type Services } from '#src/services.ts';
import { processors } from '#workers/processors.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';
import { watchProtocol } from './label-points.ts';
import type { KillPlan, WorkerReport } from './label-workers.ts';

/*
 * The label worker of production, with the real SDK. In addition it reports the points of the protocol that it reaches,
 * and is killed (kill -9) at points without a kill. A run that reaches such a point stops there and sends nothing more;
 * a moment later, when other runs may have stopped at theirs, the process is killed. It receives where others were
 * killed.
 */

const config = readConfig();
const plan = process.env['KILL_PLAN'] ? (JSON.parse(process.env['KILL_PLAN']) as KillPlan) : undefined;
const covered = new Set(plan?.covered);
const expected = plan?.expected && new Set(plan.expected);
const seen = new Set<string>(plan?.covered);
const stoppedAt: string[] = [];
let passed = 0;

/** How long to wait for other runs. */
const momentMs = 2000;
process.on('message', (points: string[]) => points.forEach((point) => covered.add(point)));

function at(point: string, isInRun: boolean): boolean {
  if (!seen.has(point)) reportProgress({ what: 'seen', points: [point] });
  seen.add(point);
  if (!plan) return false;
  passed += 1;
  const isExempt = passed <= plan.skippedPoints && (expected?.has(point) ?? true);
  if (isExempt || (covered.has(point) && passed <= plan.skippedPoints + (plan.waitPoints ?? Infinity))) return false;
  stoppedAt.push(point);
  covered.add(point);
  if (!isInRun || stoppedAt.length === config.concurrency.labels) die();
  if (stoppedAt.length === 1) setTimeout(die, momentMs);
  return true;
}

function die(): void {
  reportProgress({ what: 'killed', points: stoppedAt });
  process.kill(process.pid, 'SIGKILL');
}

/** Written synchronously: a buffer would be lost with the process. */
function reportProgress(report: WorkerReport): void {
  writeSync(1, `${JSON.stringify(report)}\n`);
}

const log = createLogger({ level: config.logLevel, process: 'worker-labels' });
const breaker = new CircuitBreaker({ openMs: config.settings.breakerOpenMs, failures: 5 });
const gateway = createShippoGateway({ baseUrl: config.shippoApiBase, log, breaker });
const services: Services = await createServices(config, 'worker-labels', {
  log,
  ports: { shipping: new Proxy(gateway, { get: (_, name: keyof typeof gateway) => shipping[name] }) },
});
const shipping = watchProtocol(services.context().database.pool, gateway, at);
const workers = startWorkers(services, ['labels'], processors);

await runUntilSignalled(async () => ({
  log: services.log,
  async stop() {
    await workers.close(5000);
    await services.close();
  },
}));
