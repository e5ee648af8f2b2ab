import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';

/** Wipe Redis at these times from now on, until told to end. */
export function flushRedis(redisUrl: string, afterMs: readonly number[]): { end(): Promise<void>; count(): number } {
  const over = new AbortController();
  let flushes = 0;
  const flushing = (async () => {
    for (const [index, at] of afterMs.entries()) {
      const waited = await pause(at - (afterMs[index - 1] ?? 0), true, { signal: over.signal }).catch(() => false);
      if (!waited) return;
      const redis = new Redis(redisUrl);
      await redis.flushdb();
      redis.disconnect();
      flushes += 1;
    }
  })();
  return {
    count: () => flushes,
    end: () => {
      over.abort();
      return flushing;
    },
  };
}
