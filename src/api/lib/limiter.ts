import type { Context as KoaContext } from 'koa';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, RLWrapperTimeouts } from 'rate-limiter-flexible';

import { DomainError } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { householdOf } from './client-address.ts';
import { countTogether } from './count-together.ts';
import type { ErrorCode } from './error-codes.ts';
import { type LimitName, limitOf } from './limits.ts';
import type { Visitor } from './visitor.ts';

/**
 * Count one request, in Redis for all processes together, and say in its answer how the caller stands.
 *
 * @param address the shopper's; undefined where only a storefront's server is known
 * @throws DomainError `rate_limited`, or `service_unavailable` at the ceiling of a store, both with seconds to wait
 */
export type EnforceLimit = (koa: KoaContext, name: LimitName, visitor: Visitor, address: string | undefined) => Promise<void>;

/** How long Redis may take before this process counts by itself. */
const redisMs = 250;

export function createLimiter({ redis, metrics, config }: Services): EnforceLimit {
  const windows = new Map<string, Window>();
  const windowOf = (name: string, points: number, seconds: number): Window => {
    const scaled = Math.max(1, Math.round(points * config.settings.rateLimitScale));
    const window = windows.get(name) ?? createWindow(redis, `limit:${name}`, scaled, seconds);
    windows.set(name, window);
    return window;
  };

  return async (koa, name, visitor, address) => {
    const { tenant, key } = visitor;
    const { perStore, perSecretKey, perShopper, seconds } = limitOf(name);
    if (perStore) {
      const { isOver, reset } = await windowOf(name, perStore, seconds)(tenant.id);
      if (isOver) throw refuse('unavailable', 'service_unavailable', 'The store is very busy. Try again in a moment.', reset);
      return;
    }

    const standings: Promise<Standing>[] = [];
    if (perSecretKey && key?.kind === 'secret') standings.push(windowOf(`${name}:secret`, perSecretKey, seconds)(key.id));
    const shopper = shopperOf(visitor, address);
    if (perShopper && shopper !== undefined) standings.push(windowOf(name, perShopper, seconds)(`${shopKeyOf(visitor)}:${shopper}`));
    const [tightest] = (await Promise.all(standings)).toSorted(byTightness);
    if (!tightest) return;
    koa.set({
      'ratelimit-limit': String(tightest.limit),
      'ratelimit-remaining': String(tightest.remaining),
      'ratelimit-reset': String(tightest.reset),
    });
    if (!tightest.isOver) return;
    metrics.count('rate_limited', { tenant: tenant.slug });
    throw refuse('too_many', 'rate_limited', 'There were too many requests. Wait a moment and try again.', tightest.reset);
  };
}

/** Every shopper's browser holds the publishable key: counted by it alone, one of them could close the shop for all. */
function shopKeyOf({ tenant, key }: Visitor): string {
  return key?.kind === 'publishable' ? key.id : tenant.id;
}

/** Whoever is signed in is known, whosever server asks for them; everybody else is their household. */
function shopperOf({ session }: Visitor, address: string | undefined): string | undefined {
  return session?.id ?? (address === undefined ? undefined : householdOf(address));
}

/** How a caller stands with one window. */
interface Standing {
  readonly isOver: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window is over. */
  readonly reset: number;
}

type Window = (subject: string) => Promise<Standing>;

/** Of the windows that refuse, the one that lasts longest; else the one that has the least left. */
function byTightness(left: Standing, right: Standing): number {
  if (left.isOver && right.isOver) return right.reset - left.reset;
  return Number(right.isOver) - Number(left.isOver) || left.remaining - right.remaining;
}

/** While Redis is away or slow each process counts for itself: requests pass, but not without bounds. */
function createWindow(redis: Services['redis'], keyPrefix: string, points: number, duration: number): Window {
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix,
    points,
    duration,
    rejectIfRedisNotReady: true,
    inMemoryBlockOnConsumed: points,
    insuranceLimiter: new RateLimiterMemory({ keyPrefix, points, duration }),
  });
  const patient = new RLWrapperTimeouts({ limiter, timeoutMs: redisMs });

  const countedTogether = countTogether(async (subject, times) => {
    try {
      return await patient.consume(subject, times);
    } catch (error) {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    }
  });
  return async (subject) => {
    const { answer: { consumedPoints, msBeforeNext }, later } = await countedTogether(subject);
    // Whoever is known to have had all of theirs is not counted any more.
    const left = consumedPoints === 0 ? -1 : points - (consumedPoints - later);
    return { isOver: left < 0, limit: points, remaining: Math.max(0, left), reset: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
  };
}

function refuse(kind: 'too_many' | 'unavailable', code: ErrorCode, sentence: string, retryAfterSeconds: number): DomainError {
  return new DomainError(kind, code, sentence, { retryAfterSeconds });
}
