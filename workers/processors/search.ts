import * as jobs from '#jobs/search.ts';
import * as search from '#src/domain/search/index.ts';
import { processor } from '#workers/runtime/processor.ts';

export const processors = [processor(jobs.indexDocument, search.indexDocument)];
