/** What operators decide for every store of this installation. `config.ts` reads it; durations are milliseconds. */
export interface Settings {
  /** Test and live are separate environments, each with its own data and its own kind of keys. */
  readonly appMode: 'test' | 'live';
  /** A machine of a developer's: loopback addresses and plain http are allowed, waits may be seconds. */
  readonly localMode: boolean;
  /** Where this service is reached from outside, without a trailing slash. */
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
  /** How far apart the two looks for a label lie whose purchase may have happened. */
  readonly labelLookupGraceMs: number;
  readonly labelBuyTimeoutMs: number;
  /** How long a breaker around a provider stays open before one probe. */
  readonly breakerOpenMs: number;
  /** When a pending order is looked up at the payment provider, since it was made. */
  readonly paymentPollScheduleMs: readonly number[];
  /** How often the sweeps over the outside world run. */
  readonly sweepIntervalMs: number;
}
