import { runWorker } from './runtime/run-worker.ts';

/** Brings orders and subscriptions into line with the payment provider. */
await runWorker('worker-payments', { queues: ['payments'], relay: false });
