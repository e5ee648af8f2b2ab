import { runWorker } from './runtime/run-worker.ts';

/** Purchases shipping labels and tracks parcels. */
await runWorker('worker-labels', { queues: ['labels'], relay: false });
