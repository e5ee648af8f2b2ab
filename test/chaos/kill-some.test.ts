import { randomInt } from 'node:crypto';
import test from 'ava';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { seededRandom } from '#test/support/random.ts';
import { runKills } from './kill/run-kills.ts';

/* One random point of some operations; `npm run chaos -- --only kills` takes every one. */
test('a process killed at a random point of a checkout or payment leaves one order and one payment', async (t) => {
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
