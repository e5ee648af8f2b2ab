import { runWorker } from './runtime/run-worker.ts';

/** Search indexing, retention, partitions and other chores. */
await runWorker('worker-chores', { queues: ['chores'], relay: false });
