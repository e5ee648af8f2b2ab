import * as jobs from '#jobs/reminders.ts';
import * as reminders from '#src/domain/reminders/index.ts';
import { processor } from '#workers/runtime/processor.ts';

export const processors = [processor(jobs.decideReminder, reminders.decideReminder)];
