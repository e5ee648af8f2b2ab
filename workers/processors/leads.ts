import * as jobs from '#jobs/leads.ts';
import * as leads from '#src/domain/leads/index.ts';
import { processor } from '#workers/runtime/processor.ts';

export const processors = [processor(jobs.notifyRestock, leads.notifyRestock)];
