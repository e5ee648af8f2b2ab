import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Waits of seconds instead of hours. A lease outlives the longest call by fifteen seconds, here as everywhere. */
const quick = {
  LABEL_BUY_TIMEOUT: '2s',
  LABEL_LOOKUP_GRACE: '2s',
  LABEL_RETRY_SCHEDULE: '0s,1s,1s,2s,2s,3s',
  BREAKER_OPEN: '1s',
  SWEEP_INTERVAL: '3s',
  LOG_LEVEL: 'silent',
  RATE_LIMIT_SCALE: '1000',
  // A connection is always free: whoever had to wait for one would be taken for the run that gave it back.
  WORKER_CONCURRENCY_LABELS: '12',
  DATABASE_POOL_MAX: '30',
};

/** What the processes around the labels are told. */
export function labelEnvironment(databaseUrl: string, redisUrl: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    // Those that are killed are started again and again.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'storefront-compile-cache'),
    APP_MODE: 'test',
    LOCAL_MODE: '1',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:2525',
    MAIL_FROM: 'Storefront <hello@storefront.example>',
    ...quick,
  };
}
