import { randomBytes } from 'node:crypto';

import { readConfig } from '#src/config.ts';
import { migrate } from '#src/database/migrate.ts';
import { freePort } from '#src/dev/embedded/free-port.ts';
import { type Embedded, startEmbedded } from '#src/dev/embedded/start-embedded.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices, type Services } from '#src/services.ts';

/** Services of our own, migrated, and what a process needs to know to use them. */
export interface Bench {
  readonly embedded: Embedded;
  readonly services: Services;
  /** The environment of a web process on a free port, and its address. */
  web(more?: Record<string, string>): Promise<{ environment: Record<string, string>; url: string }>;
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** @param given for the environment of every process, and of the services */
export async function startBench(given: Record<string, string> = {}): Promise<Bench> {
  const embedded = await startEmbedded({ durable: true });
  await migrate(embedded.databaseUrl);
  const environment = {
    PATH: process.env['PATH'] ?? '',
    APP_MODE: 'test',
    LOCAL_MODE: '1',
    PORT: '0',
    DATABASE_URL: embedded.databaseUrl,
    REDIS_URL: embedded.redisUrl,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:2525',
    MAIL_FROM: 'Storefront <hello@storefront.example>',
    RATE_LIMIT_SCALE: '1000000',
    ...given,
  };
  const services = await createServices(readConfig(environment), 'bench', { log: silentLog });
  return {
    embedded,
    services,
    environment,
    async web(more = {}) {
      const port = await freePort();
      return { environment: { ...environment, PORT: String(port), ...more }, url: `http://127.0.0.1:${port}` };
    },
    async stop() {
      await services.close();
      await embedded.stop();
    },
  };
}
