import { asPlatform } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { type Retention, removalOf } from '#src/lib/retention.ts';
import { isShuttingDown, type PlatformContext } from './context.ts';

/** A batch is one transaction, so that nobody waits long for a lock; a run removes so many of each table at most. */
const defaultBounds = { batchSize: 2000, batchesMax: 25 };

/**
 * Remove what is kept no longer, of all stores, from each of these tables in turn. A backlog of any size is removed: where
 * one run is not enough, the job comes back for the rest.
 *
 * @throws Snooze when rows are left
 */
export async function removeExpired(
  ctx: PlatformContext,
  retentions: readonly Retention[],
  bounds = defaultBounds,
): Promise<void> {
  let isDone = true;
  for (const retention of retentions) {
    isDone = (await removeFrom(ctx, retention, bounds)) && isDone;
  }
  if (!isDone) throw leftForNextRun();
}

/** The rest is removed by the next run of the job, after others had their turn. */
export const leftForNextRun = () => new Snooze(seconds(1), 'rows are left to be removed');

/** Returns whether nothing is left that is to be removed. */
async function removeFrom(
  ctx: PlatformContext,
  retention: Retention,
  { batchSize, batchesMax }: typeof defaultBounds,
): Promise<boolean> {
  for (let batch = 0; batch < batchesMax && !isShuttingDown(ctx); batch += 1) {
    const removed = await asPlatform(ctx, 'rows of all stores are kept no longer', (ctx) =>
      ctx.tx.execute(removalOf(retention, ctx.clock, batchSize)),
    );
    if (removed.length < batchSize) return true;
  }
  return false;
}
