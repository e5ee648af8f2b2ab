import * as jobs from '#jobs/emails.ts';
import * as mail from '#src/domain/mail/index.ts';
import { processor } from '#workers/runtime/processor.ts';

export const processors = [processor(jobs.sendMail, mail.sendMail, mail.giveUpMail)];
