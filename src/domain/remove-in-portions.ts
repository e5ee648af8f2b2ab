import type { PlatformContext } from './context.ts';

const portion = 2000;
const portionsMax = 200;

/**
 * Remove rows of long ago, a portion in each statement, so that nobody waits long for a lock: until none is left, the
 * process has to stop, or it is enough for once.
 *
 * @param remove removes so many at most and answers how many it removed
 */
export async function removeInPortions(ctx: PlatformContext, remove: (limit: number) => Promise<number>): Promise<void> {
  for (let count = 0; count < portionsMax && !ctx.signal?.aborted; count += 1) {
    if ((await remove(portion)) < portion) return;
  }
}
