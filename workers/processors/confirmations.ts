import * as jobs from '#jobs/confirmations.ts';
import * as confirmations from '#src/domain/confirmations/index.ts';
import { platformProcessor } from '#workers/runtime/processor.ts';

export const processors = [platformProcessor(jobs.pruneCodes, confirmations.pruneCodes)];
