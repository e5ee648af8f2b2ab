import { runWorker } from './runtime/run-worker.ts';

/** Runs imports, exports and bulk changes. */
await runWorker('worker-bulk', { queues: ['bulk'], relay: false });
