import { StripeError } from '../api/error.ts';

/** A response as it was sent. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestId: string;
}

interface IdempotentRequest {
  readonly fingerprint: string;
  readonly since: number;
  /** Absent while the first request is still being served. */
  response?: StoredResponse;
}

const lifetimeSeconds = 24 * 3600;
const keyLengthMax = 255;

/** The idempotency keys of one account: the first response to each is stored for a day, 500s included. */
export class IdempotencyKeys {
  readonly #requests = new Map<string, IdempotentRequest>();

  /** The stored response for this key, if any; otherwise the key is now in use until `finish`. */
  begin(key: string, fingerprint: string, now: number): StoredResponse | undefined {
    if (key.length > keyLengthMax)
      throw idempotencyError(400, `Idempotency keys are limited to ${keyLengthMax} characters.`);
    const known = this.#requests.get(key);
    if (!known || known.since + lifetimeSeconds <= now) {
      this.#requests.set(key, { fingerprint, since: now });
      return undefined;
    }
    if (known.fingerprint !== fingerprint) {
      throw idempotencyError(
        400,
        'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
          `Try using a key other than '${key}' if you meant to execute a different request.`,
      );
    }
    if (!known.response) {
      throw idempotencyError(
        409,
        'There is currently another in-progress request using this Idempotent Key (that probably means you ' +
          `submitted twice, and the other request is still going through): ${key}. Please try again later.`,
        'idempotency_key_in_use',
      );
    }
    return known.response;
  }

  /** Store the response or, where execution never began, release the key. */
  finish(key: string, response: StoredResponse | null): void {
    const request = this.#requests.get(key);
    if (request && response) request.response = response;
    else this.#requests.delete(key);
  }
}

function idempotencyError(status: number, message: string, code?: string): StripeError {
  return new StripeError(status, message, { type: 'idempotency_error', ...(code && { code }) });
}
