import { ApiError, retryAfterMsOf } from './api-error.ts';

export interface RetryOptions {
  /** Sends one request; the default is the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** How often a request that failed is repeated at most. Default: 3. */
  readonly retries?: number;
  /** No repetition begins later than this after the call. Default: 30 seconds. */
  readonly retryWithinMs?: number;
  /** How long one attempt may take. Default: 30 seconds. */
  readonly timeoutMs?: number;
}

/** Timers take no longer time. */
const longestMs = 2 ** 31 - 1;

/**
 * A `fetch` that repeats a request that was not carried out: as Retry-After says, and after a failure of the network
 * or a proxy if the request may arrive twice. A last failure is returned as a response, or thrown as an ApiError.
 */
export function fetchWithRetries(options: RetryOptions): (request: Request) => Promise<Response> {
  const { retries = 3, retryWithinMs = 30_000 } = options;
  return async (request) => {
    const endsAt = performance.now() + retryWithinMs;
    let failures = 0;
    for (;;) {
      const outcome = await send(request, options);
      const waitMs = waitBeforeRetry(request, outcome, failures);
      if (waitMs === undefined || failures >= retries || performance.now() + waitMs > endsAt) {
        if (outcome instanceof ApiError) throw outcome;
        return outcome;
      }
      // 409 means that an earlier attempt is still in progress, whose outcome is waited for.
      if (outcome.status !== 409) failures += 1;
      await pause(waitMs, request.signal);
    }
  };
}

/**
 * One attempt. It has succeeded only when all of the response has arrived. The signal is that of the request which the
 * caller keeps: in Node.js, that of a copy is no longer aborted once the copy is collected. The Edge Runtime of Next.js
 * has no AbortSignal.any.
 */
async function send(request: Request, options: RetryOptions): Promise<Response | ApiError> {
  const { fetch = globalThis.fetch, timeoutMs = 30_000 } = options;
  const { signal } = request;
  const attempt = new AbortController();
  const abort = () => attempt.abort(signal.reason);
  signal.addEventListener('abort', abort);
  const timer = setTimeout(() => attempt.abort(timeoutError()), Math.min(timeoutMs, longestMs));
  try {
    signal.throwIfAborted();
    const redirect = isRead(request) ? 'follow' : 'manual';
    const response = await fetch(request.clone(), { signal: attempt.signal, redirect });
    const body = await response.arrayBuffer();
    if (isLostInRedirect(request, response)) return redirectedError(response);
    // Without the reason phrase, of which Node.js reads characters that it takes in no `Response`.
    const { status, headers } = response;
    return new Response(body.byteLength > 0 ? body : null, { status, headers });
  } catch (cause) {
    signal.throwIfAborted();
    return new ApiError('connection_failed', 'The store cannot be reached at the moment.', { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

const timeoutError = () => new DOMException('The attempt took too long.', 'TimeoutError');

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/** A redirect can make a write the read of the same path, and to another origin it takes the key away. */
const isLostInRedirect = (request: Request, { type, redirected, status }: Response) =>
  isRead(request) ? redirected && status === 401 : type === 'opaqueredirect' || (status >= 300 && status < 400);

/** Browsers do not tell where a redirect leads that they do not follow. */
const redirectedError = (response: Response): ApiError => {
  const target = response.redirected ? response.url : (response.headers.get('location') ?? 'another URL');
  const detail = `The baseUrl leads to ${target}, and what was sent got lost on the way. Use a baseUrl without a redirect.`;
  return new ApiError('unexpected_response', detail, { response });
};

/** @returns undefined where the outcome is final */
function waitBeforeRetry(request: Request, outcome: Response | ApiError, failures: number): number | undefined {
  const backoffMs = 250 * 2 ** failures * (1 + Math.random());
  if (outcome instanceof ApiError)
    return outcome.code === 'connection_failed' && isRepeatable(request) ? backoffMs : undefined;
  const { status, headers } = outcome;
  if (status === 429 || ((status === 409 || status === 503) && headers.has('retry-after')))
    return retryAfterMsOf(outcome) || backoffMs;
  // The service says itself when to retry; a proxy may not know whether the request was carried out.
  const isFromProxy = status >= 502 && status <= 504 && !isFromService(headers);
  return isFromProxy && isRepeatable(request) ? backoffMs : undefined;
}

/** Proxies may name a request, too, on pages of their own. */
const isFromService = (headers: Headers) =>
  headers.has('x-request-id') && /json/.test(headers.get('content-type') ?? '');

const isRepeatable = ({ method, headers }: Request) =>
  (method !== 'POST' && method !== 'PATCH') || headers.has('idempotency-key');

/** @throws the reason of the signal when it is aborted */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return waitFor(elapsed, signal).finally(() => clearTimeout(timer));
}

/**
 * Waits for work that others may wait for, too: an abort ends the wait and not the work.
 * @throws the reason of the signal when it is aborted
 */
export function waitFor<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort));
  });
}
