import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { notConfigured } from './open-account.ts';

const retryAfterSeconds = 5;

/** What a caller is told who waits for the payment provider, when it did not do what was asked (protocols.md §3). */
export function paymentErrorOf(error: ProviderError): DomainError {
  switch (error.failure) {
    case 'away':
    case 'busy':
      return providerUnavailable(error);
    case 'denied':
      return notConfigured(error);
    case 'refused':
    case 'missing':
      return error.code === 'amount_too_small' ? amountTooSmall(error) : notAccepted(error);
  }
}

export function providerUnavailable(cause?: ProviderError): DomainError {
  const message = 'The payment provider does not answer. Try again in a moment.';
  const details = { retryAfterSeconds: cause?.retryAfterSeconds ?? retryAfterSeconds, cause };
  return new DomainError('unavailable', 'payment_provider_unavailable', message, details);
}

export const amountTooSmall = (cause?: ProviderError) =>
  new DomainError('invalid', 'amount_too_small', 'The total is less than can be charged in this currency.', { cause });

const notAccepted = (cause: ProviderError) =>
  new DomainError('upstream_failed', 'payment_provider_error', 'The payment provider did not accept this.', { cause });

/** Run a call to the provider that a shopper waits for: its failure is said in the shop's words. */
export async function withPaymentErrors<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof ProviderError ? paymentErrorOf(error) : error;
  }
}
