export { changeRecipient } from './change-recipient.ts';
export { enqueueMail } from './enqueue-mail.ts';
export type { MailData } from './kinds.ts';
export { Mail, mailStates } from './mail.ts';
export { mailPersonalData } from './personal-data.ts';
export { type DeliveryCheck, failMail, sendMail } from './send-mail.ts';
export {
  isSuppressed,
  listSuppressions,
  presentSuppression,
  releaseSuppression,
  SuppressionView,
} from './suppression.ts';
export { isUnsent, retryMail, type UnsentMail, unsentMails } from './unsent-mail.ts';
