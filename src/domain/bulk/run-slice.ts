import { setTimeout as wait } from 'node:timers/promises';

import { seconds } from '#src/lib/duration.ts';
import { type Context, isShuttingDown } from '../context.ts';

/** Which run of which operation. */
export interface Slice {
  readonly operationId: string;
  readonly number: number;
}

/** How long a run of an operation lasts, before the operations of other stores have their turn. */
const sliceMs = seconds(3);

/** @returns a function that says whether the next step is the last one of this run */
export function startSlice(ctx: Context): () => boolean {
  const endsAt = performance.now() + sliceMs;
  return () => performance.now() >= endsAt || isShuttingDown(ctx);
}

const pauseMaxMs = 500;

/**
 * Pause as long as the batch took that began then, so that orders get at least half of PostgreSQL's time.
 * @param startedAt of `performance.now()`
 */
export async function pauseAfterBatch(startedAt: number): Promise<void> {
  await wait(Math.min(performance.now() - startedAt, pauseMaxMs));
}
