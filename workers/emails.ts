import { runWorker } from './runtime/run-worker.ts';

/** Sends emails. */
await runWorker('worker-emails', { queues: ['emails'], relay: false });
