import type { QueueName } from '#jobs/queues.ts';
import { readConfig } from '#src/config.ts';
import { seconds } from '#src/lib/duration.ts';
import { refuseToStart, runUntilSignalled } from '#src/lib/process.ts';
import { proveDatabase } from '#src/platform/prove-database.ts';
import { createServices } from '#src/services.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { processors } from '#workers/processors/index.ts';
import { startWorkers } from './start-workers.ts';

/** Heroku kills a process 30 seconds after it asked it to stop. */
const drainMs = seconds(25);

/** Be a worker process: work these queues, relay promises if asked to, until told to stop. */
export async function runWorker(name: string, work: { queues: readonly QueueName[]; relay: boolean }): Promise<void> {
  try {
    const services = await createServices(readConfig(), name);
    await proveDatabase(services.run);
    services.sharedMetrics.start();
    const relay = work.relay ? startRelay(services) : undefined;
    const workers = startWorkers(services, work.queues, processors);
    services.log.info({ queues: work.queues, relay: work.relay }, 'working');

    runUntilSignalled(async () => {
      services.beginClosing();
      await Promise.all([relay?.close(), workers.close(drainMs)]);
      await services.close();
    }, (error) => services.log.error({ err: error }, 'shutdown failed'));
  } catch (error) {
    refuseToStart(error);
  }
}
