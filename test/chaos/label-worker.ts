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
import type { Aim, Said } from './label-workers.ts';

/*
 * The label worker as it is in production, with the real SDK, but for this: it says which points of the protocol it comes
 * to, and dies (kill -9) where nobody died yet. A run that comes to such a point stops there and sends nothing any more;
 * a moment later, when others may stand at theirs, the process is killed. It hears where others died.
 */

const config = readConfig();
const aim = process.env['AIM'] ? (JSON.parse(process.env['AIM']) as Aim) : undefined;
const struck = new Set(aim?.struck);
const expected = aim?.expected && new Set(aim.expected);
const seen = new Set<string>(aim?.struck);
const standing: string[] = [];
let passed = 0;

/** So long others are waited for. */
const momentMs = 2000;
process.on('message', (points: string[]) => points.forEach((point) => struck.add(point)));

function at(point: string, isInRun: boolean): boolean {
  if (!seen.has(point)) tell({ what: 'seen', points: [point] });
  seen.add(point);
  if (!aim) return false;
  passed += 1;
  const isExempt = passed <= aim.undisturbed && (expected?.has(point) ?? true);
  if (isExempt || (struck.has(point) && passed <= aim.undisturbed + (aim.patience ?? Infinity))) return false;
  standing.push(point);
  struck.add(point);
  if (!isInRun || standing.length === config.concurrency.labels) die();
  if (standing.length === 1) setTimeout(die, momentMs);
  return true;
}

function die(): void {
  tell({ what: 'died', points: standing });
  process.kill(process.pid, 'SIGKILL');
}

/** Written at once: what is left in a buffer dies with the process. */
function tell(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
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
