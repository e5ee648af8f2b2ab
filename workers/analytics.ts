import { runWorker } from './runtime/run-worker.ts';

/** Folds analytics events and rolls them up. */
await runWorker('worker-analytics', { queues: ['analytics'], relay: false });
