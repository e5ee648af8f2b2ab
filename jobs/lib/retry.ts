/**
 * When a run that failed is tried again, within the queue. Only for waits up to half a minute: a later try is
 * `next_attempt_at` on the row that is being worked and a promise of its own (protocols.md §1).
 */
export interface RetryPolicy {
  /** Runs in all, the first included. */
  readonly attempts: number;
  readonly firstDelaySeconds: number;
  readonly maxDelaySeconds: number;
}

/** Doubling waits with jitter, each at most 30 seconds. */
export function exponential(policy: {
  attempts: number;
  firstDelaySeconds?: number;
  maxDelaySeconds?: number;
}): RetryPolicy {
  return { firstDelaySeconds: 1, maxDelaySeconds: 30, ...policy };
}

/** One run; a failure goes straight to the people who watch the queue. */
export const never: RetryPolicy = { attempts: 1, firstDelaySeconds: 0, maxDelaySeconds: 0 };

/** Milliseconds to wait after the given number of failed runs, spread over 75 to 125 % so that herds disperse. */
export function delayAfter(policy: RetryPolicy, failedRuns: number, random: number): number {
  const doubled = policy.firstDelaySeconds * 2 ** (failedRuns - 1);
  return Math.round(Math.min(doubled, policy.maxDelaySeconds) * 1000 * (0.75 + random / 2));
}
