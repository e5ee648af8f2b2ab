import { Redis } from 'ioredis';

import { givenByRunner } from './environment.ts';

/** A Redis database of its own, empty. The server has many of them, and each is given out once. */
export async function createTestRedis(): Promise<{ url: string }> {
  const redis = new Redis(givenByRunner('TEST_REDIS_URL'));
  const index = await redis.incr('test:databases');
  redis.disconnect();
  const url = new URL(givenByRunner('TEST_REDIS_URL'));
  url.pathname = `/${index}`;
  return { url: url.href };
}
