export const disabledReasons = ['owner', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** What an attempt said of the endpoint, as far as the endpoint is concerned. */
export interface Heard {
  readonly at: Date;
  readonly ok: boolean;
  /** It answered 410. */
  readonly gone: boolean;
}

export interface Circumstances {
  /** The one attempt that an open breaker lets pass. */
  readonly probe: boolean;
  /** How long the breaker stays open the first time; each further time twice as long. */
  readonly firstOpenMs: number;
  readonly nextStepMs: number;
}

/** What follows from what was heard, for others to do. */
export interface Consequences {
  /** The breaker opened: nothing may be attempted before. */
  readonly pausedUntil: Date | null;
  /** A probe found that it works again: all may go on. */
  readonly recovered: boolean;
  readonly warn: boolean;
  readonly disabled: DisabledReason | null;
}
