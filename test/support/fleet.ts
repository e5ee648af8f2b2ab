import type { ExecutionContext } from 'ava';

import { readConfig } from '#src/config.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices, type Services } from '#src/services.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { createTestDatabase } from './database.ts';
import { testEnvironment, timeouts } from './environment.ts';
import { createTestRedis } from './redis.ts';
import { until } from './until.ts';

export interface Fleet {
  clock: TestClock;
  /** A process of this name on the database and Redis of the test. */
  run(name: string, environment?: Record<string, string>, ports?: Partial<Ports>): Promise<Services>;
}

export const scrapeToken = 'a token to scrape with';
export const scrapeHeaders = { authorization: `Bearer ${scrapeToken}` };

/** Processes that end with their test. */
export async function openFleet(t: ExecutionContext): Promise<Fleet> {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const clock = createTestClock();
  const environment = testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url, METRICS_TOKEN: scrapeToken });
  const running: Services[] = [];
  t.teardown(async () => {
    await Promise.all(running.map((services) => services.close()));
    await database.drop();
  });
  return {
    clock,
    async run(name, more = {}, ports = {}) {
      const services = await createServices(readConfig({ ...environment, ...more }), name, {
        log: silentLog,
        clock,
        ports,
        timeouts,
      });
      running.push(services);
      services.sharedMetrics.start();
      if (!more['REDIS_URL']) await until(() => services.redis.status === 'ready', { what: 'Redis' });
      return services;
    },
  };
}
