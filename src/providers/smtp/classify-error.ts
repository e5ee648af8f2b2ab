import type { MailOutcome } from '#src/domain/ports/mailer.ts';
import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';

/** The fields of nodemailer's errors that are used here. */
interface SmtpFailure {
  readonly code: string;
  /** The system's or OpenSSL's code of what `code` sums up, such as `CERT_HAS_EXPIRED`. */
  readonly originalCode: string;
  readonly command: string;
  readonly responseCode: number;
  readonly response: string;
}

/** The commands about one recipient's email. A rejection of any other, as of the connection, is not about it. */
const commandsOfEmail = new Set(['RCPT TO', 'DATA']);

/** RFC 4954: the server accepts emails of those only who have logged in. */
const credentialsRequired = 530;

/**
 * Classify a failed attempt, of which the server got no part of the email unless it `isBegun`. The server's own message
 * is not passed on, as it may repeat the email address.
 *
 *   no such mailbox                        bounced
 *   4xx, or a 5xx about the connection     busy      the email was certainly not accepted
 *   wrong or no credentials, or a sender
 *   that the server does not accept        denied
 *   another 5xx                            refused
 *   connection lost, timed out             busy, or away if it is begun: it may have been accepted
 */
export function classifyError(error: unknown, { isBegun }: { isBegun: boolean }): MailOutcome {
  const failure = read(error);
  const { responseCode: code } = failure;
  if (code >= 400 && code < 500) throw providerError('busy', failure);
  const isSenderRejected = failure.command === 'MAIL FROM' && code >= 500;
  if (failure.code === 'EAUTH' || code === credentialsRequired || isSenderRejected)
    throw providerError('denied', failure);
  if (isUnknownMailbox(failure)) {
    return {
      outcome: 'bounced',
      detail: `The mail server reported that the mailbox does not exist (${statusOf(failure)}).`,
    };
  }
  if (code >= 500) throw providerError(commandsOfEmail.has(failure.command) ? 'refused' : 'busy', failure);
  throw providerError(isBegun ? 'away' : 'busy', failure);
}

function providerError(failure: ProviderFailure, smtp: SmtpFailure): ProviderError {
  return new ProviderError('smtp', failure, describe(failure, smtp), { code: smtp.code || undefined });
}

function describe(failure: ProviderFailure, smtp: SmtpFailure): string {
  if (smtp.responseCode > 0) return `The mail server responded ${statusOf(smtp)}.`;
  if (failure === 'denied') return 'The mail server requires a password.';
  return `The connection to the mail server failed (${smtp.originalCode || smtp.code || 'unknown'}).`;
}

/** What a 550 without an enhanced status also says: the server does not relay for us, or blocks us. */
const rejectsUs = /relay|allow|permit|denied|block|spam|polic|authenti/i;

/**
 * Only a response to RCPT TO counts, and only that the mailbox does not exist: a policy or a full mailbox may change.
 */
function isUnknownMailbox(failure: SmtpFailure): boolean {
  if (failure.command !== 'RCPT TO' || failure.responseCode < 500) return false;
  const enhanced = enhancedStatus(failure);
  if (enhanced) return /^5\.1\.(1|2|3|6|10)$|^5\.2\.1$/.test(enhanced);
  return [550, 551, 553].includes(failure.responseCode) && !rejectsUs.test(failure.response);
}

function statusOf(failure: SmtpFailure): string {
  return [failure.responseCode, enhancedStatus(failure)].filter(Boolean).join(' ');
}

/** RFC 3463: `550 5.1.1 …`. */
function enhancedStatus({ response }: SmtpFailure): string | undefined {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
}

function read(error: unknown): SmtpFailure {
  const given: Record<string, unknown> = error instanceof Error ? { ...error } : {};
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '');
  return {
    code: text('code'),
    originalCode: text('originalCode'),
    command: text('command'),
    response: text('response'),
    responseCode: typeof given['responseCode'] === 'number' ? given['responseCode'] : 0,
  };
}
