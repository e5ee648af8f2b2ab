import * as jobs from '#jobs/search.ts';
import * as search from '#src/domain/search/index.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';

export const processors = [
  processor(jobs.indexDocument, search.indexDocument),
  processor(jobs.embedDocument, search.embedDocument),
  platformProcessor(jobs.sweepEmbeddings, search.sweepEmbeddings),
  platformProcessor(jobs.pruneZeroResultSearches, search.pruneZeroResultSearches),
];
