import { readConfig } from '#src/config.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices, type Services } from '#src/services.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { createTestDatabase } from './database.ts';
import { testEnvironment, timeouts } from './environment.ts';
import { createTestRedis } from './redis.ts';

export interface OwnServices {
  readonly services: Services;
  readonly clock: TestClock;
  close(): Promise<void>;
}

/** Services with a PostgreSQL and a Redis database of their own, for a relay and workers that run as in production. */
export async function openOwnServices(given: Record<string, string> = {}): Promise<OwnServices> {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const clock = createTestClock();
  const config = readConfig(testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url, ...given }));
  const services = await createServices(config, 'test', { clock, log: silentLog, timeouts, ports: {} });
  return {
    services,
    clock,
    async close() {
      await services.close();
      await database.drop();
    },
  };
}
