import type { Issue } from './describe-issues.ts';
import { summarizeIssues } from './issue-message.ts';

/** An error and what caused it, the outermost first. Libraries wrap what the system or PostgreSQL said. */
export const causesOf = (error: unknown): Error[] => (error instanceof Error ? [error, ...causesOf(error.cause)] : []);

/** The code of one error, such as `ECONNREFUSED` or a SQLSTATE; empty if it has none. */
export const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** The kind of an error of the domain. Only `reply-to-error.ts` knows the HTTP status of each. */
export type RejectionKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unprocessable'
  | 'too_many'
  | 'upstream_failed'
  | 'unavailable';

export interface ErrorDetails {
  /** Further fields of the response, such as `conflicts`. Never a secret, never another tenant's data. */
  extensions?: Record<string, unknown>;
  retryAfterSeconds?: number;
  /** Of `rate_limited`: how many the window admits. */
  limit?: number;
  cause?: unknown;
}

/**
 * The domain rejects a request, and repeating it would not change that.
 *
 * `code` is stable and documented; the message could be shown to a shopper.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly kind: RejectionKind;
  readonly code: string;
  readonly extensions: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;
  readonly limit: number | undefined;

  constructor(kind: RejectionKind, code: string, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.code = code;
    this.extensions = details.extensions ?? {};
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.limit = details.limit;
  }
}

/** The error of an exhausted rate limit. The message says how long to wait: a second, or a day. */
export function rateLimited(
  message: string,
  { retryAfterSeconds, limit }: { retryAfterSeconds: number; limit: number },
): DomainError {
  return new DomainError('too_many', 'rate_limited', `${message} Try again in ${inWords(retryAfterSeconds)}.`, {
    retryAfterSeconds,
    limit,
  });
}

/** The error for what is unavailable for a moment: the same request may succeed later. */
export function serviceUnavailable(message: string, retryAfterSeconds: number): DomainError {
  return new DomainError('unavailable', 'service_unavailable', message, { retryAfterSeconds });
}

const veryBusy = 'The store is very busy. Try again in a moment.';

/** The same, because of what else is requested of the store. */
export const storeBusy = (retryAfterSeconds: number): DomainError => serviceUnavailable(veryBusy, retryAfterSeconds);

/** In whole units, rounded up: who waits that long has waited long enough. */
function inWords(seconds: number): string {
  const [length, unit] = seconds > 5400 ? [3600, 'hour'] : seconds > 90 ? [60, 'minute'] : [1, 'second'];
  const count = Math.ceil(seconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The error for a request that fits its schema but is invalid; each issue has the path of a field and its problem. */
export function invalidRequest(message: string, ...errors: readonly Issue[]): DomainError {
  return new DomainError('invalid', 'invalid_request', message, errors.length > 0 ? { extensions: { errors } } : {});
}

/** @throws DomainError `invalid_request` with these issues of the whole, if there are any, and the first as the message */
export function rejectIssues(issues: readonly Issue[], whole = 'The request'): void {
  if (issues.length > 0) throw invalidRequest(summarizeIssues(issues, whole), ...issues);
}

/** The error for what does not exist for this caller: an unknown id and another tenant's look the same. */
export function notFound(what: string): DomainError {
  return new DomainError('not_found', 'not_found', `There is no such ${what}.`);
}

/** The error for a link or a code that is unknown, used or expired. It does not say which. */
export function invalidOrExpired(what: 'link' | 'code'): DomainError {
  return new DomainError('invalid', 'invalid_or_expired_token', `This ${what} is invalid or has expired.`);
}

/** @returns the value that was found @throws DomainError `not_found` if there is none */
export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw notFound(what);
  return value;
}

/**
 * Why a provider did not do what was requested. The gateway of the provider classifies its errors:
 *
 *   busy      it asks to be called later (429, or it said when)
 *   away      no definite response: time-out, connection error, 5xx. The effect may have happened.
 *   refused   it understood and declined; another attempt changes nothing
 *   denied    our credentials are not accepted
 *   missing   the object does not exist there
 */
export type ProviderFailure = 'busy' | 'away' | 'refused' | 'denied' | 'missing';

/** A provider failed us. The message names provider and reason, never a secret or an address. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly provider: string;
  readonly failure: ProviderFailure;
  /** The provider's own code, where it gave one. */
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    provider: string,
    failure: ProviderFailure,
    message: string,
    details: { code?: string | undefined; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.provider = provider;
    this.failure = failure;
    this.code = details.code;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/**
 * Whether repeating the request cannot help: the provider declined it, or its account has no such object, as when the
 * store's account was replaced meanwhile.
 */
export const isFinalFailure = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && (error.failure === 'refused' || error.failure === 'missing');

/** Run this job later. It costs no attempt: a provider is busy, nothing is wrong. */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  readonly milliseconds: number;

  constructor(milliseconds: number, reason: string) {
    super(reason);
    this.milliseconds = milliseconds;
  }
}

/** The turn of a read or a request did not come in time, or PostgreSQL ended it. */
export const tooBusy = (): Snooze => new Snooze(1000, veryBusy);

/**
 * Only an operator can continue this work. The message says what, why and what to do, without an address or a secret:
 * it is shown on the board of queues.
 */
export class ManualActionRequired extends Error {
  override readonly name = 'ManualActionRequired';
}
