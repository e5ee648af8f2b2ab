import { randomInt } from 'node:crypto';

import test from 'ava';

import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { seededRandom } from '#test/support/random.ts';
import { runKills } from './kill/run-kills.ts';

/* One moment of some works, by chance; `npm run chaos -- --only kills` takes every one. */
test('a process that is killed anywhere in a checkout or a payment leaves one order and one payment', async (t) => {
  t.timeout(180_000);
  const seed = randomInt(2 ** 31);
  t.log(`seed ${seed}`);
  const database = await createTestDatabase();
  try {
    const environment = testEnvironment({ DATABASE_URL: database.url });
    t.deepEqual(await runKills({ environment, random: seededRandom(seed), report: (line) => t.log(line) }), []);
  } finally {
    await database.drop();
  }
});
