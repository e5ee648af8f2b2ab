import { ProviderError } from '#src/lib/errors.ts';

/**
 * Whether requesting the same again changes nothing: the parcel provider refuses, or its account has no such label, as
 * when the store's account was replaced after the purchase.
 */
export const isFinal = (error: unknown): boolean =>
  error instanceof ProviderError && (error.failure === 'refused' || error.failure === 'missing');
