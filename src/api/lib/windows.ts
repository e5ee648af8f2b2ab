import { setImmediate as nextTurn } from 'node:timers/promises';
import { RateLimiterMemory, RateLimiterRedis, RLWrapperTimeouts } from 'rate-limiter-flexible';
import type { Services } from '#src/services.ts';

/** The usage of one window by a caller. */
export interface Standing {
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
  take(share: Share): Promise<Standing>;
  /** The usage of a subject, including everything counted in this turn of the event loop, without counting. */
  peek(share: Share): Promise<Standing>;
  /** Undo one `take`. */
  giveBack(share: Share): Promise<void>;
}

/** How long Redis may take before this process counts by itself. */
const redisMs = 250;
/** Reports who is over the limit: the library only counts. */
const pointsMax = Number.MAX_SAFE_INTEGER;

export function createWindows({ redis, config }: Pick<Services, 'redis' | 'config'>): Windows {
  const counters = new Map<string, Counter>();
  const counterOf = ({ window, seconds }: Share): Counter => {
    const counter = counters.get(window) ?? createCounter(redis, `limit:${window}`, seconds);
    counters.set(window, counter);
    return counter;
  };
  const standingOf = ({ points }: Share, consumed: number, msBeforeNext: number): Standing => {
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
      const {
        result: { consumedPoints, msBeforeNext },
        later,
      } = await counterOf(share).take(share.subject);
      return standingOf(share, consumedPoints - later, msBeforeNext);
    },
    async peek(share) {
      const result = await counterOf(share).peek(share.subject);
      return standingOf(share, result?.consumedPoints ?? 0, result?.msBeforeNext ?? 0);
    },
    giveBack: (share) => counterOf(share).giveBack(share.subject),
  };
}

type Counter = ReturnType<typeof createCounter>;

/** While Redis is away or slow each process counts for itself: requests pass, but not without bounds. */
function createCounter(redis: Services['redis'], keyPrefix: string, duration: number) {
  const bounds = { keyPrefix, points: pointsMax, duration };
  const limiter = new RateLimiterRedis({
    ...bounds,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(bounds),
  });
  const limiterWithTimeout = new RLWrapperTimeouts({ limiter, timeoutMs: redisMs });
  return {
    take: countCoalesced((subject, times) => limiterWithTimeout.penalty(subject, times)),
    async peek(subject: string) {
      await nextTurn();
      return limiterWithTimeout.get(subject);
    },
    async giveBack(subject: string): Promise<void> {
      await limiterWithTimeout.reward(subject);
    },
  };
}

/** How often a subject was counted at once. */
interface Turn<Result> {
  times: number;
  readonly result: Promise<Result>;
}

/**
 * Count all requests for the same subject in one turn of the event loop with one call. Each gets the result, and how
 * many of them came later: the difference is what it would have got alone.
 */
export function countCoalesced<Result>(
  count: (subject: string, times: number) => Promise<Result>,
): (subject: string) => Promise<{ readonly result: Result; readonly later: number }> {
  const turns = new Map<string, Turn<Result>>();

  function begin(subject: string): Turn<Result> {
    const turn: Turn<Result> = { times: 0, result: nextTurn().then(() => end(subject, turn)) };
    turns.set(subject, turn);
    return turn;
  }

  function end(subject: string, { times }: Turn<Result>): Promise<Result> {
    turns.delete(subject);
    return count(subject, times);
  }

  return async (subject) => {
    const turn = turns.get(subject) ?? begin(subject);
    const place = (turn.times += 1);
    const result = await turn.result;
    return { result, later: turn.times - place };
  };
}
