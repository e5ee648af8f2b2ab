import type { Shippo } from 'shippo';
import type * as ShippoErrors from 'shippo/models/errors/index.js';
import type { CallOptions, ShippingAccount } from '#src/domain/ports/shipping-gateway.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError, type ProviderFailure } from '#src/lib/errors.ts';
import { loadOnce } from '#src/lib/load-once.ts';
import type { Log } from '#src/lib/log.ts';
import type { Static, TSchema } from '#src/lib/schema.ts';
import { signalWithin } from '#src/lib/signal-within.ts';
import { inCall } from '#src/lib/tracing.ts';
import { fits } from '#src/lib/validation.ts';
import type { CircuitBreaker } from '../lib/circuit-breaker.ts';
import { connectionCodeOf } from '../lib/connection-code.ts';
import { readRetryAfter } from '../lib/retry-after.ts';

export interface ShippoOptions {
  /** Another URL of the API; Shippo's own by default. */
  readonly baseUrl?: string | undefined;
  readonly log: Log;
  readonly breaker: CircuitBreaker;
}

export interface Call<Body extends TSchema> {
  readonly account: ShippingAccount;
  /** The name of the call in the log: `transactions.create`. */
  readonly operation: string;
  readonly response: Body;
  readonly options?: CallOptions | undefined;
}

export type CallShippo = <Body extends TSchema>(
  call: Call<Body>,
  send: (shippo: Shippo) => Promise<unknown>,
) => Promise<Static<Body>>;

/** The API version that the SDK was made for; an account may default to an older one with other shapes. */
const apiVersion = '2018-02-08';
const usualTimeoutMs = seconds(15);

/**
 * Every call of Shippo: through its SDK, with a deadline, without the SDK's retries, behind the account's circuit
 * breaker, and logged. The response is read from the wire and withheld from the SDK, which rejects responses with values
 * that it does not know, even of labels that were bought, and drops fields that it does not know.
 */
export function createCaller({ baseUrl, log, breaker }: ShippoOptions): CallShippo {
  return ({ account, operation, response: schema, options: { timeoutMs = usualTimeoutMs, signal } = {} }, send) =>
    breaker.run('shippo', account.tenantId, () =>
      inCall('shippo', operation, async () => {
        const sdk = await loadSdk();
        const startedAt = performance.now();
        const received: { status?: number; body?: string } = {};
        const finish = (outcome: string) =>
          log.info(
            {
              provider: 'shippo',
              operation,
              status: received.status,
              outcome,
              ms: Math.round(performance.now() - startedAt),
            },
            'provider call',
          );
        try {
          await send(sdk.open(account, baseUrl, received, signalWithin(timeoutMs, signal)));
        } catch (error) {
          if (received.body === undefined) {
            const classified = classifyError(sdk.errors, operation, error);
            finish(classified.failure);
            throw classified;
          }
        }
        const response = parse(received.body);
        if (!fits(schema, response)) {
          finish('unreadable');
          throw new ProviderError('shippo', 'away', `Shippo's response to ${operation} could not be read.`, {
            code: 'unreadable',
          });
        }
        finish('responded');
        return response;
      }),
    );
}

function parse(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}

interface Sdk {
  readonly errors: typeof ShippoErrors;
  open(
    account: ShippingAccount,
    baseUrl: string | undefined,
    received: { status?: number; body?: string },
    signal: AbortSignal,
  ): Shippo;
}

/** Ends a call of the SDK with a response that is not for it. */
class Withheld extends Error {
  override readonly name = 'Withheld';
}

/** Loaded on first use: the package takes a quarter of a second, and most processes never need it. */
const loadSdk = loadOnce(async (): Promise<Sdk> => {
  const [{ Shippo }, { HTTPClient }, errors] = await Promise.all([
    import('shippo'),
    import('shippo/lib/http.js'),
    import('shippo/models/errors/index.js'),
  ]);
  return {
    errors,
    open(account, baseUrl, received, signal) {
      // The signal is passed to the request itself: the one that the SDK derives from it may be garbage-collected.
      const httpClient = new HTTPClient({
        async fetcher(input, init) {
          const response = await fetch(input, { ...init, signal });
          const { ok, status, headers } = response;
          received.status = status;
          const body = await response.text();
          // Not as it arrives: the SDK reads a copy, and nobody would handle that the other one broke off. And without
          // the reason phrase, of which Node.js reads characters that it takes in no `Response`.
          if (!ok) return new Response(body || null, { status, headers });
          received.body = body;
          throw new Withheld();
        },
      });
      return new Shippo({
        apiKeyHeader: account.apiKey,
        shippoApiVersion: apiVersion,
        httpClient,
        ...(baseUrl && { serverURL: baseUrl }),
      });
    },
  };
});

/**
 * Classify an error of the SDK. The message repeats nothing of Shippo's response, because responses quote addresses.
 */
function classifyError(errors: typeof ShippoErrors, operation: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof errors.SDKError) {
    const { statusCode } = error;
    return new ProviderError('shippo', failureOf(statusCode), `Shippo responded to ${operation} with ${statusCode}.`, {
      code: fieldIn(error.body),
      retryAfterSeconds: readRetryAfter(error.headers.get('retry-after')),
    });
  }
  if (error instanceof errors.SDKValidationError || error instanceof errors.InvalidRequestError) {
    return new ProviderError('shippo', 'refused', `Shippo's SDK rejected the request ${operation}.`, {
      cause: error,
    });
  }
  if (error instanceof errors.RequestTimeoutError || error instanceof errors.RequestAbortedError) {
    return new ProviderError('shippo', 'away', `Shippo did not respond to ${operation} in time.`, { code: 'timeout' });
  }
  const connection = connectionCodeOf(error);
  const reason = connection ? ` (${connection})` : '';
  return new ProviderError('shippo', 'away', `Shippo gave no readable response to ${operation}${reason}.`, {
    code: 'no_answer',
  });
}

/**
 * 409 means too many requests at once; 408 comes from a proxy, which cannot know the outcome; any other 4xx means that
 * nothing was done.
 */
function failureOf(statusCode: number): ProviderFailure {
  if (statusCode === 401 || statusCode === 403) return 'denied';
  if (statusCode === 404) return 'missing';
  if (statusCode === 408) return 'away';
  if (statusCode === 409 || statusCode === 429) return 'busy';
  return statusCode >= 400 && statusCode < 500 ? 'refused' : 'away';
}

/** The first field that an error names, such as `address_to`; never its message. */
function fieldIn(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    return Object.keys(parsed).find((key) => /^[a-z_]{1,40}$/.test(key) && key !== 'detail' && key !== '__all__');
  } catch {
    return undefined;
  }
}
