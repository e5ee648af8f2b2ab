import { DomainError, ProviderError } from '#src/lib/errors.ts';

/** Why the provider did not tell what it was asked, or cannot be asked at all: the store's account does not open. */
export type ProviderFailureReport = ProviderError | DomainError;

/** The trouble that an error is; anything else is thrown on. */
export function providerFailureOf(error: unknown): ProviderFailureReport {
  if (error instanceof ProviderError) return error;
  if (error instanceof DomainError && error.kind === 'unavailable') return error;
  throw error;
}
