import type { MailOutcome } from '#src/domain/ports/mailer.ts';
import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';

/** The fields of nodemailer's errors that are used here. */
interface SmtpFailure {
  readonly code: string;
  readonly command: string;
  readonly responseCode: number;
  readonly response: string;
  readonly syscall: string;
}

/** Failures before the server could have received anything. */
const neverReached = new Set(['EDNS', 'ECONNREFUSED', 'ENOTFOUND']);

/** RFC 4954: the server accepts emails of those only who have logged in. */
const credentialsRequired = 530;

/**
 * Classify a failed attempt. The server's own message is not passed on, as it may repeat the email address.
 *
 *   no such mailbox                        bounced
 *   4xx, or no connection                  busy      the email was certainly not accepted
 *   wrong or no credentials                denied
 *   another 5xx                            refused
 *   connection lost, timed out             away      it may have been accepted
 */
export function classifyError(error: unknown): MailOutcome {
  const failure = read(error);
  const { responseCode: code } = failure;
  if (code >= 400 && code < 500) throw providerError('busy', failure);
  if (failure.code === 'EAUTH' || code === credentialsRequired) throw providerError('denied', failure);
  if (isUnknownMailbox(failure)) {
    return {
      outcome: 'bounced',
      detail: `The mail server reported that the mailbox does not exist (${statusOf(failure)}).`,
    };
  }
  if (code >= 500) throw providerError('refused', failure);
  throw providerError(wasNeverReached(failure) ? 'busy' : 'away', failure);
}

function providerError(failure: ProviderFailure, smtp: SmtpFailure): ProviderError {
  const silence = failure === 'denied' ? 'requires a password' : `did not respond (${smtp.code || 'unknown'})`;
  const problem = smtp.responseCode > 0 ? `responded ${statusOf(smtp)}` : silence;
  return new ProviderError('smtp', failure, `The mail server ${problem}.`, { code: smtp.code || undefined });
}

/**
 * Only a response to RCPT TO counts, and only that the mailbox does not exist: a policy or a full mailbox may change.
 */
function isUnknownMailbox(failure: SmtpFailure): boolean {
  if (failure.command !== 'RCPT TO' || failure.responseCode < 500) return false;
  const enhanced = enhancedStatus(failure);
  return enhanced ? /^5\.1\.(1|2|3|6|10)$|^5\.2\.1$/.test(enhanced) : [550, 551, 553].includes(failure.responseCode);
}

function wasNeverReached({ code, syscall }: SmtpFailure): boolean {
  return neverReached.has(code) || syscall === 'connect';
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
    command: text('command'),
    response: text('response'),
    syscall: text('syscall'),
    responseCode: typeof given['responseCode'] === 'number' ? given['responseCode'] : 0,
  };
}
