import { runWorker } from './runtime/run-worker.ts';

/** Sends mails. */
await runWorker('worker-emails', { queues: ['emails'], relay: false });
