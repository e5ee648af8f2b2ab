import Stripe from 'stripe';

import { notSent } from '#src/domain/ports/payment-gateway.ts';
import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';

/**
 * What an error of the SDK means, once and for all. Stripe's own sentences name ids and addresses, so they stay here;
 * its code, the parameter at fault and its request id are enough to find them again in its dashboard.
 */
export function classifyError(operation: string, error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, param, statusCode, requestId } = error;
  const failure = failureOf(error);
  const reason = [code ?? type, param && `at ${param}`, statusCode && `status ${statusCode}`, requestId].filter(
    Boolean,
  );
  return new ProviderError('stripe', failure, `Stripe, ${operation}: ${reason.join(', ')}.`, {
    code: isUnsent(error) ? notSent : (code ?? type),
    retryAfterSeconds: failure === 'busy' ? retryAfterOf(error) : undefined,
  });
}

function failureOf(error: InstanceType<typeof Stripe.errors.StripeError>): ProviderFailure {
  const {
    StripeAuthenticationError,
    StripeConnectionError,
    StripeIdempotencyError,
    StripePermissionError,
    StripeRateLimitError,
  } = Stripe.errors;
  if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError) return 'denied';
  if (error instanceof StripeRateLimitError) return 'busy';
  if (error instanceof StripeConnectionError) return 'away';
  // The first request with this key still runs (409), or was worded by another release of ours (400): what became of
  // that one is not known.
  if (error instanceof StripeIdempotencyError || error.statusCode === 409) return 'away';
  if (error.statusCode === undefined || error.statusCode >= 500) return 'away';
  return error.statusCode === 404 || error.code === 'resource_missing' ? 'missing' : 'refused';
}

/** A connection that never came about carried nothing. */
const unsentCodes: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function isUnsent(error: InstanceType<typeof Stripe.errors.StripeError>): boolean {
  const { detail } = error;
  return (
    error instanceof Stripe.errors.StripeConnectionError &&
    detail instanceof Error &&
    'code' in detail &&
    unsentCodes.includes(detail.code)
  );
}

function retryAfterOf({ headers }: InstanceType<typeof Stripe.errors.StripeError>): number | undefined {
  const seconds = Number(headers?.['retry-after']);
  return seconds > 0 ? Math.ceil(seconds) : undefined;
}
