/** What operators decide for every store of this installation. `config.ts` reads it; durations are milliseconds. */
export interface Settings {
  /** Test and live are separate environments, each with its own data and its own kind of keys. */
  readonly appMode: 'test' | 'live';
  /** On a developer's machine: loopback addresses and plain http are allowed, and waits may be seconds. */
  readonly localMode: boolean;
  /** The URL of this service for clients, without a trailing slash. */
  readonly publicUrl: string;
  /** The default sender of emails, for stores without their own. */
  readonly mailFrom: string;
  /** Keys the hashes of API keys, tokens and cursors. */
  readonly keyPepper: Buffer;
  /** Multiplies every rate limit. */
  readonly rateLimitScale: number;
  /** The wait before each try of a webhook delivery, the first included. */
  readonly webhookRetryScheduleMs: readonly number[];
  /** The wait before each try of a label, the first included. */
  readonly labelRetryScheduleMs: readonly number[];
  /** The time between the two lookups of a purchase whose outcome is unknown. */
  readonly labelLookupGraceMs: number;
  readonly labelBuyTimeoutMs: number;
  /** How long the circuit breaker of a provider stays open before one probe. */
  readonly breakerOpenMs: number;
  /** How long after its creation the session of a pending order is fetched from the payment provider, each time. */
  readonly paymentPollScheduleMs: readonly number[];
  /** How often sweeps compare our rows with the providers' objects. */
  readonly sweepIntervalMs: number;
}
