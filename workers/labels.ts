import { runWorker } from './runtime/run-worker.ts';

/** Buys shipping labels and follows parcels. */
await runWorker('worker-labels', { queues: ['labels'], relay: false });
