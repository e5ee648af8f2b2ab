import * as jobs from '#jobs/checkout.ts';
import * as checkout from '#src/domain/checkout/index.ts';
import { processor } from '#workers/runtime/processor.ts';

export const processors = [processor(jobs.repairSession, checkout.repairSession)];
