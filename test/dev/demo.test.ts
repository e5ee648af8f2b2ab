import test from 'ava';

import { createEmptyDatabase } from '#test/support/database.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { runEntry } from '#test/support/run-entry.ts';

test('npm run demo passes all its checks and exits with 0', async (t) => {
  const [database, redis] = await Promise.all([createEmptyDatabase(), createTestRedis()]);
  t.teardown(database.drop);
  const { code, out, err } = await runEntry('src/dev/demo.ts', [], {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
  });
  t.is(code, 0, `${out}\n${err}`);
  t.regex(out, /\nAll checks passed\.\n$/);
});
