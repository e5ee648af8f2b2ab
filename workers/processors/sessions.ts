import * as jobs from '#jobs/sessions.ts';
import * as sessions from '#src/domain/sessions/index.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';

export const processors = [
  processor(jobs.mailLink, sessions.mailLink),
  platformProcessor(jobs.pruneSessions, sessions.pruneSessions),
];
