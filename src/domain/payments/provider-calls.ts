import type { Clock } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { notConfigured } from './accounts/open-account.ts';

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

/** Why the provider did not tell what it was asked, or cannot be asked at all: the store's account does not open. */
export type ProviderFailureReport = ProviderError | DomainError;

/** The trouble that an error is; anything else is thrown on. */
export function providerFailureOf(error: unknown): ProviderFailureReport {
  if (error instanceof ProviderError) return error;
  if (error instanceof DomainError && error.kind === 'unavailable') return error;
  throw error;
}

const bucketMs = minutes(5);

/**
 * A part of a key for what may be asked again later: the same for a few minutes, so that a repeat is none. The provider
 * keeps an error of its own with a key for a day, and nobody should have to wait that long.
 */
export const timeBucketOf = (clock: Clock): string => String(Math.floor(clock.now().getTime() / bucketMs));

/** One answer of a list that has more: `next` goes on in it, null on the last. */
interface Page {
  readonly next: string | null;
}

const pagesMax = 1000;

/**
 * All pages of a list of the provider's, one after the other.
 * @param ask is told where the page before ended; nothing for the first
 */
export async function* everyPage<Result extends Page>(
  fetchPage: (from: { readonly next?: string }) => Promise<Result>,
): AsyncGenerator<Result> {
  let next: string | null = '';
  for (let count = 0; next !== null; count += 1) {
    if (count === pagesMax) throw new RangeError('A list of the payment provider has more pages than are believed.');
    const page: Result = await fetchPage(next ? { next } : {});
    yield page;
    next = page.next;
  }
}
