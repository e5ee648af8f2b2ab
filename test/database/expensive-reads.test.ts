import test from 'ava';
import type { Pool } from 'pg';

import { withinExpensiveShare, withinShare } from '#src/database/run-statement.ts';

test("an expensive read that waits for its tenant's share delays no other tenant's", async (t) => {
  // One expensive read at a time, of all tenants.
  const pool = { options: { max: 2 } } as Pool;
  const slow = Promise.withResolvers<string>();
  const held = withinShare(pool, 'one', () => slow.promise);
  const waiting = withinExpensiveShare(pool, 'one', async () => 'after the slow one');

  t.is(await withinExpensiveShare(pool, 'other', async () => 'at once'), 'at once');
  slow.resolve('slow');
  t.deepEqual(await Promise.all([held, waiting]), ['slow', 'after the slow one']);
});
