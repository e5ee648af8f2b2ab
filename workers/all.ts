import { queueNames } from '#jobs/queues.ts';
import { runWorker } from './runtime/run-worker.ts';

/** Every queue and the relay in one process: enough for a small installation, and for development. */
await runWorker('worker', { queues: queueNames, relay: true });
