import { readConfig } from '#src/config.ts';
import { runUntilSignalled } from '#src/lib/process.ts';
import { createLogger } from '#src/platform/logger.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { createShippoGateway } from '#src/providers/shippo/shippo-gateway.ts';
import { createServices } from '#src/services.ts';
import { processors } from '#workers/processors/index.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';
import { type Aim, createPoints, watchCalls, watchStatements } from './label-points.ts';

/* The label worker as it is in production, with the real SDK, but for this: it can be told where to die. */

const config = readConfig();
const aim = process.env['AIM'] ? (JSON.parse(process.env['AIM']) as Aim) : undefined;
const at = createPoints(aim);
const log = createLogger({ level: config.logLevel, process: 'worker-labels' });
const breaker = new CircuitBreaker({ openMs: config.settings.breakerOpenMs, failures: 5 });
const shipping = watchCalls(createShippoGateway({ baseUrl: config.shippoApiBase, log, breaker }), at);
const services = await createServices(config, 'worker-labels', { ports: { shipping }, log });
watchStatements(services.context().database.pool, at);
const workers = startWorkers(services, ['labels'], processors);

runUntilSignalled(async () => {
  await workers.close(5000);
  await services.close();
}, (error) => services.log.error({ err: error }, 'shutdown failed'));
