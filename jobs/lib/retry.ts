/**
 * When a failed attempt is repeated within the queue. Only for waits of up to half a minute: for longer waits, the
 * operation stores `next_attempt_at` in its own row and enqueues a new job for that time.
 */
export interface RetryPolicy {
  /** Attempts in total, the first included. */
  readonly attempts: number;
  readonly firstDelaySeconds: number;
  readonly maxDelaySeconds: number;
}

/** Doubling waits with jitter, each at most 30 seconds. */
export function exponential(policy: { attempts: number; firstDelaySeconds?: number }): RetryPolicy {
  return { firstDelaySeconds: 1, maxDelaySeconds: 30, ...policy };
}

/** One attempt: a failure is final. */
export const never: RetryPolicy = { attempts: 1, firstDelaySeconds: 0, maxDelaySeconds: 0 };

/** Milliseconds to wait after the given number of failed attempts, with jitter of ±25 %. */
export function delayAfter(policy: RetryPolicy, failedAttempts: number, random: number): number {
  const doubled = policy.firstDelaySeconds * 2 ** (failedAttempts - 1);
  return Math.round(Math.min(doubled, policy.maxDelaySeconds) * 1000 * (0.75 + random / 2));
}
