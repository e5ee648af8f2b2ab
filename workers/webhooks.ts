import { runWorker } from './runtime/run-worker.ts';

/** Delivers webhooks to the endpoints of stores. */
await runWorker('worker-webhooks', { queues: ['webhooks'], relay: false });
