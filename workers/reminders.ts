import { runWorker } from './runtime/run-worker.ts';

/** Decides and sends reminders of abandoned carts. */
await runWorker('worker-reminders', { queues: ['reminders'], relay: false });
