import type { ErrorBody } from './generated/api.ts';

/** The codes of the API, and those for what did not come from it. `invalid_argument`: nothing was sent. */
export type ErrorCode =
  | ErrorBody['error']
  | 'connection_failed'
  | 'unexpected_response'
  | 'invalid_argument'
  | 'invalid_signature';

/** The one error of this package. Only an aborted request is rejected with the reason of its signal. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** The HTTP status; 0 when there was no response. */
  readonly status: number;
  /** What went wrong, for people. */
  readonly detail: string;
  /** Finds the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** Every problem of the request and where it is: `path` is a JSON pointer. */
  readonly errors: NonNullable<ErrorBody['errors']>;
  /** Seconds after which the request may succeed, if the service named them. */
  readonly retryAfter: number | undefined;
  /** All fields of the response, such as the `items` of `insufficient_stock`. */
  readonly body: Partial<ErrorBody>;

  constructor(code: ErrorCode, detail: string, given: ErrorContext = {}) {
    super(detail, { cause: given.cause });
    const { response, body = {} } = given;
    const retryAfterMs = response && retryAfterMsOf(response);
    this.code = code;
    this.detail = detail;
    this.status = response?.status ?? 0;
    this.requestId = body.request_id ?? response?.headers.get('x-request-id') ?? undefined;
    this.errors = body.errors ?? [];
    this.retryAfter = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
    this.body = body;
  }
}

interface ErrorContext {
  readonly response?: Response;
  readonly body?: Partial<ErrorBody>;
  readonly cause?: unknown;
}

/** The error that a response is. */
export function errorOf(response: Response, body?: unknown): ApiError {
  if (isErrorBody(body)) return new ApiError(body.error, body.detail, { response, body });
  return new ApiError('unexpected_response', `The response ${response.status} is not one of the API.`, { response });
}

/** What Retry-After says: seconds, or a date. */
export function retryAfterMsOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return ms >= 0 ? ms : undefined;
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'error' in body && 'detail' in body;
