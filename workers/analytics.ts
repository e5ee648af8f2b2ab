import { runWorker } from './runtime/run-worker.ts';

/** Adds analytics events to the daily numbers. */
await runWorker('worker-analytics', { queues: ['analytics'], relay: false });
