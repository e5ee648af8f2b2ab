import * as jobs from '#jobs/webhooks.ts';
import * as webhooks from '#src/domain/webhooks/index.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';

export const processors = [
  processor(jobs.fanOutEvent, webhooks.fanOutEvent),
  processor(jobs.drainEndpoint, webhooks.drainEndpoint),
  platformProcessor(jobs.pruneDeliveries, webhooks.pruneDeliveries),
];
