import type * as ShippoErrors from 'shippo/models/errors/index.js';

import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';

/**
 * What an error of the SDK means, judged here and nowhere else. The message repeats nothing that Shippo said: its
 * answers quote addresses.
 */
export function classifyError(errors: typeof ShippoErrors, operation: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof errors.SDKError) {
    const { statusCode } = error;
    return new ProviderError('shippo', failureOf(statusCode), `Shippo answered ${operation} with ${statusCode}.`, {
      code: fieldIn(error.body),
      retryAfterSeconds: retryAfter(error.headers),
    });
  }
  if (error instanceof errors.SDKValidationError || error instanceof errors.InvalidRequestError) {
    return new ProviderError('shippo', 'refused', `The request ${operation} is not one that Shippo takes.`, {
      cause: error,
    });
  }
  if (error instanceof errors.RequestTimeoutError || error instanceof errors.RequestAbortedError) {
    return new ProviderError('shippo', 'away', `Shippo did not answer ${operation} in time.`, { code: 'timeout' });
  }
  return new ProviderError('shippo', 'away', `Shippo gave no readable answer to ${operation}.`, { code: 'no_answer' });
}

/** 409 is Shippo's word for too much at once; 408 is a proxy's, who cannot know; any other 4xx says that nothing was done. */
function failureOf(statusCode: number): ProviderFailure {
  if (statusCode === 401 || statusCode === 403) return 'denied';
  if (statusCode === 404) return 'missing';
  if (statusCode === 408) return 'away';
  if (statusCode === 409 || statusCode === 429) return 'busy';
  return statusCode >= 400 && statusCode < 500 ? 'refused' : 'away';
}

function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}

/** The first field that a refusal names, such as `address_to`. Never its words. */
function fieldIn(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    return Object.keys(parsed).find((key) => /^[a-z_]{1,40}$/.test(key) && key !== 'detail' && key !== '__all__');
  } catch {
    return undefined;
  }
}
