import { LRUCache } from 'lru-cache';

import type { Cache } from '#src/domain/ports/cache.ts';
import { agingBy, type Clock } from '#src/lib/clock.ts';
import { within } from '#src/lib/within.ts';
import type { RedisConnection } from './redis.ts';

const inProcessMax = 5000;

/** How long Redis may take before this process uses its own cache. */
const redisMs = 250;

/** A cache in Redis, shared by all processes; while Redis is unavailable, each process uses its own. */
export function createCache(redis: RedisConnection, clock: Clock): Cache {
  const own = new LRUCache<string, string>({ max: inProcessMax, ...agingBy(clock) });
  const flights = new Map<string, Promise<string>>();

  async function find(key: string): Promise<string | undefined> {
    if (redis.status !== 'ready') return own.get(key);
    const found = await inTime(redis.get(nameOf(key)));
    return found ?? own.get(key);
  }

  async function store(key: string, text: string, ttlMs: number): Promise<void> {
    const isShared = redis.status === 'ready' && (await inTime(redis.set(nameOf(key), text, 'PX', ttlMs)));
    if (!isShared) own.set(key, text, { ttl: ttlMs });
  }

  async function load(key: string, ttlMs: number, fetch: () => Promise<string>): Promise<string> {
    const text = await fetch();
    await store(key, text, ttlMs);
    return text;
  }

  return {
    async getOrLoad(key, ttlMs, fetch) {
      const found = await find(key);
      if (found !== undefined) return { text: found, isCached: true };
      let flight = flights.get(key);
      if (!flight) {
        flight = load(key, ttlMs, fetch).finally(() => flights.delete(key));
        flights.set(key, flight);
      }
      return { text: await flight, isCached: false };
    },
  };
}

const nameOf = (key: string) => `cache:${key}`;

/** The result of Redis, if it comes in time: a cache is not worth a wait or an error. */
function inTime<Value>(result: Promise<Value>): Promise<Value | undefined> {
  return within(
    redisMs,
    result.catch(() => undefined),
  );
}
