import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { isDatabaseBusy } from '#src/database/is-database-busy.ts';
import { DomainError, type RejectionKind, Snooze, serviceUnavailable, storeBusy } from '#src/lib/errors.ts';
import { DecryptionError } from '#src/lib/keyring.ts';
import type { Issue } from '#src/lib/validation.ts';
import { HttpError } from './http-error.ts';

/** The one shape of every error response. */
export interface ErrorBody {
  error: string;
  detail: string;
  request_id: string;
  errors?: readonly Issue[];
  retry_after?: number;
  [extension: string]: unknown;
}

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** The status of each kind of error. */
export const statusOf: Readonly<Record<RejectionKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unprocessable: 422,
  too_many: 429,
  upstream_failed: 502,
  unavailable: 503,
};

/**
 * Translate an error into a response. This is the only place that knows both. An unexpected error is a 500 without
 * details: no stack, no SQL, no message of a provider.
 */
export function replyToError(error: unknown, requestId: string): ErrorReply {
  const known = error instanceof DomainError ? error : unavailabilityOf(error);
  if (known) return replyToDomainError(known, requestId);
  if (error instanceof HttpError) {
    const { status, headers } = error;
    return { status, headers, body: { error: error.code, detail: error.message, request_id: requestId } };
  }
  return {
    status: 500,
    headers: {},
    body: { error: 'internal_error', detail: 'Internal server error.', request_id: requestId },
  };
}

/** What is unavailable for a moment, where that caused the error. */
function unavailabilityOf(error: unknown): DomainError | undefined {
  if (error instanceof Snooze) return storeBusy(Math.max(1, Math.ceil(error.milliseconds / 1000)));
  if (isDatabaseBusy(error)) return storeBusy(1);
  if (isDatabaseAway(error)) return serviceUnavailable('The service is temporarily unavailable.', 2);
  if (!(error instanceof DecryptionError)) return undefined;
  const detail = 'A stored credential of this store cannot be decrypted, because its encryption key is missing.';
  return serviceUnavailable(detail, 60);
}

function replyToDomainError(error: DomainError, requestId: string): ErrorReply {
  const { retryAfterSeconds, limit } = error;
  const status = statusOf[error.kind];
  return {
    status,
    headers: {
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      // Of the window that is used up, which may be another than that of the operation's rate.
      ...(limit !== undefined && {
        'ratelimit-limit': String(limit),
        'ratelimit-remaining': '0',
        'ratelimit-reset': String(retryAfterSeconds),
      }),
    },
    body: {
      error: error.code,
      detail: error.message,
      request_id: requestId,
      ...(retryAfterSeconds !== undefined && (status === 429 || status === 503) && { retry_after: retryAfterSeconds }),
      ...error.extensions,
    },
  };
}
