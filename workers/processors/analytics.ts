import * as jobs from '#jobs/analytics.ts';
import * as analytics from '#src/domain/analytics/index.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';

export const processors = [
  platformProcessor(jobs.aggregateBatches, analytics.aggregateBatches),
  processor(jobs.aggregateQuarantined, analytics.aggregateQuarantined),
  processor(jobs.rebuildDay, analytics.rebuildDay),
  platformProcessor(jobs.createPartitions, analytics.createPartitions),
  platformProcessor(jobs.pruneAnalytics, analytics.pruneAnalytics),
];
