import { runWorker } from './runtime/run-worker.ts';

/** Search index, retention, partitions and other maintenance. */
await runWorker('worker-chores', { queues: ['chores'], relay: false });
