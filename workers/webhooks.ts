import { runWorker } from './runtime/run-worker.ts';

/** Tells the endpoints of others what happened. */
await runWorker('worker-webhooks', { queues: ['webhooks'], relay: false });
