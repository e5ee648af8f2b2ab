import type { QueueName } from '#jobs/queues.ts';
import { readConfig } from '#src/config.ts';
import { proveDatabase } from '#src/database/prove-database.ts';
import { seconds } from '#src/lib/duration.ts';
import type { Running } from '#src/lib/process.ts';
import { createServices } from '#src/services.ts';
import { processors } from '#workers/processors.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { startWorkers } from './start-workers.ts';

/** The queues that a worker process runs, and whether it also relays jobs. */
export interface Work {
  readonly queues: readonly QueueName[];
  readonly relay: boolean;
}

/** Heroku kills a process 30 seconds after it sent SIGTERM. */
const drainMs = seconds(25);

/** Start the workers of these queues, and the relay if requested. */
export async function startProcess(name: string, work: Work): Promise<Running> {
  const services = await createServices(readConfig(), name);
  await proveDatabase(services.execute, services.executeApart);
  await services.proveSecrets();
  await services.startClock();
  services.sharedMetrics.start();
  const relay = work.relay ? startRelay(services) : undefined;
  const workers = startWorkers(services, work.queues, processors);
  services.log.info({ queues: work.queues, relay: work.relay }, 'working');

  return {
    log: services.log,
    async stop() {
      services.beginClosing();
      await Promise.all([relay?.close(), workers.close(drainMs)]);
      await services.close();
    },
  };
}
