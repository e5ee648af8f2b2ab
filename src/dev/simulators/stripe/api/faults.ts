import type { RequestFault } from '../../faults.ts';
import type { StoredResponse } from '../state/idempotency-keys.ts';

/**
 * A fault that the next matching request meets, or every one when there is a probability, unless `times` says
 * otherwise.
 *
 * `status` returns an error, `reset_before` and `reset_after` cut the connection, `hang` never
 * responds, `delay` responds late. The side effect happens with `reset_after`, with `delay`, and with
 * `status` and `hang` when `after` is true. A 500 is stored under the request's idempotency key, as
 * Stripe does; 429, 502, 503 and 504 are not (with `after`, the true response is stored instead).
 */
export interface Fault extends RequestFault {
  readonly kind: 'status' | 'reset_before' | 'reset_after' | 'hang' | 'delay';
  /** For `status`; the default is 500. */
  readonly status?: number;
  readonly code?: string;
  readonly retry_after?: number;
  readonly after?: boolean;
  /** For `delay`. */
  readonly ms?: number;
}

interface Wording {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
}

const wordings: Readonly<Record<number, Wording>> = {
  401: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****' },
  402: { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' },
  403: { type: 'invalid_request_error', message: 'The provided key does not have the required permissions.' },
  409: {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: 'There is currently another in-progress request using this Idempotent Key. Please try again later.',
  },
  429: {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
  },
};

/** Stripe's response for the status of a fault. */
export function faultResponse(
  { status = 500, code, retry_after: retryAfter }: Fault,
  requestId: string,
): StoredResponse {
  const fallback = status >= 500 ? 'An unknown error occurred' : 'The request was rejected.';
  const wording = wordings[status] ?? {
    type: status >= 500 ? 'api_error' : 'invalid_request_error',
    message: fallback,
  };
  const error = { ...wording, ...(code && { code }) };
  return {
    status,
    body: JSON.stringify({ error }, null, 2),
    requestId,
    headers: {
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...(status === 429 && { 'stripe-rate-limited-reason': 'global-rate' }),
      // The header stops the libraries from retrying: they would only get the stored response.
      ...(status === 500 && { 'stripe-should-retry': 'false' }),
    },
  };
}
