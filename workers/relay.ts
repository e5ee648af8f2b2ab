import { runWorker } from './runtime/run-worker.ts';

/** Carries promises from PostgreSQL to their queues, and promises what recurs. */
await runWorker('worker-relay', { queues: [], relay: true });
