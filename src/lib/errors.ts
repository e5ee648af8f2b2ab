import type { Issue } from './describe-issues.ts';

/** What kind of refusal this is, in the domain's words. `reply-to-error.ts` alone knows the HTTP status of each. */
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
  /** Further fields of the answer, such as `conflicts`. Never a secret, never another tenant's data. */
  extensions?: Record<string, unknown>;
  retryAfterSeconds?: number;
  /** Of `rate_limited`: how many the window admits. */
  limit?: number;
  cause?: unknown;
}

/**
 * The shop says no, and trying the same again would not change it.
 *
 * `code` is stable and documented; the message is a sentence that could be shown to a shopper.
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

/** The error of a used-up window. The message says how long it lasts: a second, or a day. */
export function rateLimited(
  message: string,
  { retryAfterSeconds, limit }: { retryAfterSeconds: number; limit: number },
): DomainError {
  return new DomainError('too_many', 'rate_limited', `${message} Try again in ${inWords(retryAfterSeconds)}.`, {
    retryAfterSeconds,
    limit,
  });
}

/** In whole units, rounded up: who waits that long has waited long enough. */
function inWords(seconds: number): string {
  const [length, unit] = seconds > 5400 ? [3600, 'hour'] : seconds > 90 ? [60, 'minute'] : [1, 'second'];
  const count = Math.ceil(seconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The refusal of a request that its schema lets through; each issue names a field and what is wrong with it. */
export function invalidRequest(message: string, ...errors: readonly Issue[]): DomainError {
  return new DomainError('invalid', 'invalid_request', message, errors.length > 0 ? { extensions: { errors } } : {});
}

/** The refusal for whatever does not exist for this caller: an unknown id and another tenant's look the same. */
export function notFound(what: string): DomainError {
  return new DomainError('not_found', 'not_found', `There is no such ${what}.`);
}

/** What was looked for. @throws DomainError `not_found` */
export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw notFound(what);
  return value;
}

/**
 * Why a provider did not do what we asked, judged once, by the gateway that knows it:
 *
 *   busy      it asks us to come back later (429, or it said when)
 *   away      no answer that settles the question: time-out, socket, 5xx. The effect may have happened.
 *   refused   it understood and declined; asking again changes nothing
 *   denied    our credentials do not open the door
 *   missing   it does not know the object that we named
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

/** Work on this later. It costs no attempt: somebody else is busy, nothing is wrong. */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  readonly milliseconds: number;

  constructor(milliseconds: number, reason: string) {
    super(reason);
    this.milliseconds = milliseconds;
  }
}

/**
 * The work has come to where only a person can go on. The message says on what, why and what to do, without an
 * address or a secret: it stands on the board of queues.
 */
export class ManualActionRequired extends Error {
  override readonly name = 'ManualActionRequired';
}
