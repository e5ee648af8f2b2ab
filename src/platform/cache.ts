import { LRUCache } from 'lru-cache';

import type { Cache } from '#src/domain/ports/cache.ts';
import { agingBy, type Clock } from '#src/lib/clock.ts';
import type { RedisConnection } from './redis.ts';

const inProcessMax = 5000;

/** How long Redis may take before this process answers from what it remembers itself. */
const redisMs = 250;

/** A cache in Redis, shared by all processes; while Redis is away, each remembers for itself. */
export function createCache(redis: RedisConnection, clock: Clock): Cache {
  const own = new LRUCache<string, string>({ max: inProcessMax, ...agingBy(clock) });
  const flights = new Map<string, Promise<string>>();

  async function find(key: string): Promise<string | undefined> {
    if (redis.status !== 'ready') return own.get(key);
    const found = await within(redisMs, redis.get(nameOf(key)));
    return found ?? own.get(key);
  }

  async function keep(key: string, text: string, ttlMs: number): Promise<void> {
    const kept = redis.status === 'ready' && (await within(redisMs, redis.set(nameOf(key), text, 'PX', ttlMs)));
    if (!kept) own.set(key, text, { ttl: ttlMs });
  }

  async function load(key: string, ttlMs: number, fetch: () => Promise<string>): Promise<string> {
    const text = await fetch();
    await keep(key, text, ttlMs);
    return text;
  }

  return {
    async remember(key, ttlMs, fetch) {
      const found = await find(key);
      if (found !== undefined) return { text: found, remembered: true };
      let flight = flights.get(key);
      if (!flight) {
        flight = load(key, ttlMs, fetch).finally(() => flights.delete(key));
        flights.set(key, flight);
      }
      return { text: await flight, remembered: false };
    },
  };
}

const nameOf = (key: string) => `cache:${key}`;

/** What Redis answers, or nothing when it does not within this time: a cache is never worth a wait or an error. */
async function within<Value>(ms: number, answer: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([answer.catch(() => undefined), patience]);
  } finally {
    clearTimeout(timer);
  }
}
