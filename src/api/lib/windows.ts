import { RateLimiterMemory, RateLimiterRedis, RLWrapperTimeouts } from 'rate-limiter-flexible';
import type { Services } from '#src/services.ts';

/** The usage of one window by a caller. */
export interface WindowState {
  readonly isOver: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window is over. */
  readonly reset: number;
}

/** The share of one subject in a window: what is counted together, for whom, and how much is allowed. */
export interface Share {
  readonly window: string;
  readonly seconds: number;
  readonly subject: string;
  readonly points: number;
}

/** Counts shares in Redis for all processes together. `RATE_LIMIT_SCALE` multiplies each. */
export interface Windows {
  take(share: Share): Promise<WindowState>;
  /** How a subject stands, without taking. */
  peek(share: Share): Promise<WindowState>;
  /** Undo one `take`. */
  release(share: Share): Promise<void>;
}

/** Reports who is over the limit: the library only counts. */
const pointsMax = Number.MAX_SAFE_INTEGER;

export function createWindows({ redis, config, timeouts }: Pick<Services, 'redis' | 'config' | 'timeouts'>): Windows {
  const counters = new Map<string, RLWrapperTimeouts>();
  const counterOf = ({ window, seconds }: Share): RLWrapperTimeouts => {
    const counter = counters.get(window) ?? createCounter(redis, `limit:${window}`, seconds, timeouts.limitMs);
    counters.set(window, counter);
    return counter;
  };
  const stateOf = ({ points }: Share, consumed: number, msBeforeNext: number): WindowState => {
    const limit = Math.max(1, Math.round(points * config.settings.rateLimitScale));
    const left = limit - consumed;
    return {
      isOver: left < 0,
      limit,
      remaining: Math.max(0, left),
      reset: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    };
  };
  return {
    async take(share) {
      const { consumedPoints, msBeforeNext } = await counterOf(share).penalty(share.subject);
      return stateOf(share, consumedPoints, msBeforeNext);
    },
    async peek(share) {
      const counted = await counterOf(share).get(share.subject);
      return stateOf(share, counted?.consumedPoints ?? 0, counted?.msBeforeNext ?? 0);
    },
    async release(share) {
      await counterOf(share).reward(share.subject);
    },
  };
}

/** While Redis is away or slow each process counts for itself: requests pass, but not without bounds. */
function createCounter(
  redis: Services['redis'],
  keyPrefix: string,
  duration: number,
  timeoutMs: number,
): RLWrapperTimeouts {
  const bounds = { keyPrefix, points: pointsMax, duration };
  const limiter = new RateLimiterRedis({
    ...bounds,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(bounds),
  });
  return new RLWrapperTimeouts({ limiter, timeoutMs });
}
