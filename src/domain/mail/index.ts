export { isAddress } from './address.ts';
export { type MailData, type MailKind, type OrderMailData } from './kinds.ts';
export { Mail, type MailState, mailStates } from './mail.ts';
export { mailPersonalData } from './personal-data.ts';
export { type MailRequest, promiseMail } from './promise-mail.ts';
export { pruneMails } from './prune-mails.ts';
export { giveUpMail, type MailJudge, sendMail } from './send-mail.ts';
export { isSuppressed } from './suppression.ts';
