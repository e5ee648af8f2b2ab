import { runWorker } from './runtime/run-worker.ts';

/** Reconciles orders and subscriptions with the payment provider. */
await runWorker('worker-payments', { queues: ['payments'], relay: false });
