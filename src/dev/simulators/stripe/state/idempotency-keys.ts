import { StripeError } from '../api/error.ts';

/** A reply as it went over the wire. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestId: string;
}

interface IdempotentRequest {
  readonly fingerprint: string;
  readonly since: number;
  /** Absent while the first request is still being served. */
  answer?: Answer;
}

const lifetimeSeconds = 24 * 3600;
const keyLengthMax = 255;

/** The idempotency keys of one account: the first answer to each is kept for a day, 500s included. */
export class IdempotencyKeys {
  readonly #requests = new Map<string, IdempotentRequest>();

  /** The kept answer for this key, if any; otherwise the key is now in use until `finish`. */
  begin(key: string, fingerprint: string, now: number): Answer | undefined {
    if (key.length > keyLengthMax) throw refusal(400, `Idempotency keys are limited to ${keyLengthMax} characters.`);
    const known = this.#requests.get(key);
    if (!known || known.since + lifetimeSeconds <= now) {
      this.#requests.set(key, { fingerprint, since: now });
      return undefined;
    }
    if (known.fingerprint !== fingerprint) {
      throw refusal(
        400,
        'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
          `Try using a key other than '${key}' if you meant to execute a different request.`,
      );
    }
    if (!known.answer) {
      throw refusal(
        409,
        'There is currently another in-progress request using this Idempotent Key (that probably means you ' +
          `submitted twice, and the other request is still going through): ${key}. Please try again later.`,
        'idempotency_key_in_use',
      );
    }
    return known.answer;
  }

  /** Keep the answer, or, where the work was never begun, forget that the key was used. */
  finish(key: string, answer: Answer | null): void {
    const request = this.#requests.get(key);
    if (request && answer) request.answer = answer;
    else this.#requests.delete(key);
  }
}

function refusal(status: number, message: string, code?: string): StripeError {
  return new StripeError(status, message, { type: 'idempotency_error', ...(code && { code }) });
}
