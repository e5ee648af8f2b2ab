import * as jobs from '#jobs/idempotency.ts';
import * as idempotency from '#src/domain/idempotency/index.ts';
import { platformProcessor } from '#workers/runtime/processor.ts';

export const processors = [platformProcessor(jobs.pruneRequests, idempotency.pruneRequests)];
