import * as jobs from '#jobs/emails.ts';
import * as mail from '#src/domain/mail/index.ts';
import * as reminders from '#src/domain/reminders/index.ts';
import { platformProcessor, processor } from '#workers/runtime/processor.ts';

export const processors = [
  processor(jobs.sendMail, reminders.sendCheckedMail, mail.failMail),
  platformProcessor(jobs.pruneMails, mail.pruneMails),
];
