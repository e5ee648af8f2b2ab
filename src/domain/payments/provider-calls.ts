import type { Clock } from '#src/lib/clock.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { DomainError, invalidRequest, ProviderError } from '#src/lib/errors.ts';
import { notConfigured } from './accounts/payment-account.ts';

const retryAfterSeconds = 5;

/** The error that a caller gets who waited for a call to the payment provider that failed. */
export function paymentErrorOf(error: ProviderError): DomainError {
  switch (error.failure) {
    case 'away':
    case 'busy':
      return providerUnavailable(error);
    case 'denied':
      return notConfigured(error);
    case 'refused':
    case 'missing':
      if (error.code === 'email_invalid') return emailNotAccepted();
      if (error.code === 'amount_too_small') return amountTooSmall(error);
      return error.code === 'amount_too_large' ? amountTooLarge(error) : notAccepted(error);
  }
}

export function providerUnavailable(cause?: ProviderError): DomainError {
  const message = 'The payment provider is not responding. Try again in a moment.';
  const details = { retryAfterSeconds: cause?.retryAfterSeconds ?? retryAfterSeconds, cause };
  return new DomainError('unavailable', 'payment_provider_unavailable', message, details);
}

export const amountTooSmall = (cause?: ProviderError) =>
  new DomainError('invalid', 'amount_too_small', 'The total is less than can be charged in this currency.', { cause });

export const amountTooLarge = (cause?: ProviderError) =>
  new DomainError('invalid', 'invalid_request', 'The total is more than can be charged at once in this currency.', {
    cause,
  });

const emailNotAccepted = () =>
  invalidRequest('The payment provider does not accept this email address.', {
    path: '/customer_email',
    code: 'refused',
    detail: 'is no email address that the payment provider accepts',
  });

const notAccepted = (cause: ProviderError) =>
  new DomainError('upstream_failed', 'payment_provider_error', 'The payment provider did not accept this.', { cause });

/** @throws DomainError instead of the ProviderError of a call whose result a shopper waits for */
export async function withPaymentErrors<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof ProviderError ? paymentErrorOf(error) : error;
  }
}

/** Why a call to the provider failed, or could not be made because the store's account cannot be opened. */
export type ProviderFailureReport = ProviderError | DomainError;

/** @throws the error itself where it is no failure of the provider, such as a bug */
export function providerFailureOf(error: unknown): ProviderFailureReport {
  if (error instanceof ProviderError) return error;
  if (error instanceof DomainError && error.kind === 'unavailable') return error;
  throw error;
}

/** After this many attempts of a job, which reach over three days, an operator has to act. */
export const attemptsMax = 150;

/** How long a job waits after an attempt that failed: twice as long each time, and as long as the provider asks. */
export function retryWaitMs(attempt: number, { retryAfterSeconds = 0 }: ProviderFailureReport): number {
  return Math.max(seconds(retryAfterSeconds), Math.min(seconds(5) * 2 ** (attempt - 1), minutes(30)));
}

const bucketMs = minutes(5);

/**
 * A part of an idempotency key that stays the same for a few minutes: a repeat within them has no second effect. The
 * provider stores its own errors under a key for a day, and a later attempt must not get such an error again.
 */
export const timeBucketOf = (clock: Clock): string => String(Math.floor(clock.now().getTime() / bucketMs));

/** One page of a list. `next` is the cursor of the page after it; null on the last. */
interface Page {
  readonly next: string | null;
}

const pagesMax = 1000;

/**
 * All pages of one of the provider's lists, one after the other.
 * @param fetchPage gets the cursor of the page before; nothing for the first page
 */
export async function* everyPage<Result extends Page>(
  fetchPage: (from: { readonly next?: string }) => Promise<Result>,
): AsyncGenerator<Result> {
  let next: string | null = '';
  for (let count = 0; next !== null; count += 1) {
    if (count === pagesMax) throw new RangeError(`A list of the payment provider has more than ${pagesMax} pages.`);
    const page: Result = await fetchPage(next ? { next } : {});
    yield page;
    next = page.next;
  }
}
