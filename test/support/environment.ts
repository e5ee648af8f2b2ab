import { randomBytes } from 'node:crypto';

import { minutes } from '#src/lib/duration.ts';
import type { Timeouts } from '#src/services.ts';

/** What `test/run.ts` gives every test process. */
export function givenByRunner(name: 'TEST_DATABASE_URL' | 'TEST_DATABASE_ADMIN_URL' | 'TEST_REDIS_URL'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run tests with npm test.`);
  return value;
}

/** What `test/run-ava.ts` gives every process so that it starts in half of the time. */
export const quickStart: Readonly<Record<string, string>> = Object.fromEntries(
  ['NODE_COMPILE_CACHE', 'NODE_OPTIONS'].flatMap((name) => {
    const value = process.env[name];
    return value ? [[name, value]] : [];
  }),
);

/** The machine may be busy with other tests. */
export const timeouts: Timeouts = { limitMs: minutes(1), readMs: minutes(1), scrapeMs: minutes(1) };

/** An environment that a process can start with, on the given services. */
export function testEnvironment(given: Record<string, string> = {}): Record<string, string> {
  return {
    ...quickStart,
    APP_MODE: 'test',
    LOCAL_MODE: '1',
    PORT: '0',
    DATABASE_URL: givenByRunner('TEST_DATABASE_URL'),
    REDIS_URL: givenByRunner('TEST_REDIS_URL'),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:2525',
    MAIL_FROM: 'Storefront <hello@storefront.example>',
    LOG_LEVEL: 'silent',
    // Tests of the limits set their own.
    RATE_LIMIT_SCALE: '1000',
    ...given,
  };
}
