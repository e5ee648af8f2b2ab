import * as jobs from '#jobs/backoffice.ts';
import * as backoffice from '#src/domain/backoffice/index.ts';
import { platformProcessor } from '#workers/runtime/processor.ts';

export const processors = [platformProcessor(jobs.pruneOutbox, backoffice.pruneOutbox)];
