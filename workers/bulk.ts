import { runWorker } from './runtime/run-worker.ts';

/** Runs imports and exports. */
await runWorker('worker-bulk', { queues: ['bulk'], relay: false });
