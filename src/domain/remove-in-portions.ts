import type { Sql } from '#src/lib/sql.ts';
import type { PlatformContext } from './context.ts';
import { asPlatform } from './database.ts';
import { mustStop } from './must-stop.ts';

const portion = 2000;
const portionsMax = 200;

/**
 * Remove rows of long ago, of all stores, a portion in each transaction, so that nobody waits long for a lock: until none
 * is left, the process has to stop, or it is enough for once.
 *
 * @param reason what `asPlatform` is told
 * @param remove the statement that removes so many at most and returns a row for each
 */
export async function removeInPortions(ctx: PlatformContext, reason: string, remove: (limit: number) => Sql): Promise<void> {
  for (let count = 0; count < portionsMax && !mustStop(ctx); count += 1) {
    const removed = await asPlatform(ctx, reason, (ctx) => ctx.tx.run(remove(portion)));
    if (removed.length < portion) return;
  }
}
