import * as jobs from '#jobs/integrations.ts';
import * as integrations from '#src/domain/integrations/index.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';

export const processors = [
  processor(jobs.handleCall, integrations.handleCall, integrations.failCall),
  platformProcessor(jobs.pruneIntegrations, integrations.pruneIntegrations),
];
