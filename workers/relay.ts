import { runWorker } from './runtime/run-worker.ts';

/** Adds due jobs from PostgreSQL to their queues, and schedules recurring jobs. */
await runWorker('worker-relay', { queues: [], relay: true });
