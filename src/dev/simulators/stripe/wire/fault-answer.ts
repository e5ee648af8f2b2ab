import type { Fault } from './faults.ts';
import type { Answer } from './idempotency.ts';

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

/** What Stripe would say with the status that a fault asks for. */
export function faultResponse({ status = 500, code, retry_after: retryAfter }: Fault, requestId: string): Answer {
  const fallback = status >= 500 ? 'An unknown error occurred' : 'The request was refused.';
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
      // It would only be replayed: Stripe tells its libraries to save themselves the trouble.
      ...(status === 500 && { 'stripe-should-retry': 'false' }),
    },
  };
}
