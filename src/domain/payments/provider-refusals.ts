import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { notConfigured } from './open-account.ts';

const retryAfterSeconds = 5;

/** What a caller is told who waits for the payment provider, when it did not do what was asked (protocols.md §3). */
export function refusalOf(error: ProviderError): DomainError {
  switch (error.failure) {
    case 'away':
    case 'busy':
      return unavailable(error);
    case 'denied':
      return notConfigured(error);
    case 'refused':
    case 'missing':
      return error.code === 'amount_too_small'
        ? new DomainError('invalid', 'amount_too_small', 'The total is less than can be charged in this currency.', { cause: error })
        : new DomainError('upstream_failed', 'payment_provider_error', 'The payment provider did not accept this.', { cause: error });
  }
}

export function unavailable(cause?: ProviderError): DomainError {
  return new DomainError('unavailable', 'payment_provider_unavailable', 'The payment provider does not answer. Try again in a moment.', {
    retryAfterSeconds: cause?.retryAfterSeconds ?? retryAfterSeconds, cause,
  });
}

/** Run a call to the provider that a shopper waits for: its failure is said in the shop's words. */
export async function asked<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof ProviderError ? refusalOf(error) : error;
  }
}
