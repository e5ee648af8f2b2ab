import { transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { type Context, isShuttingDown } from '../context.ts';
import { endOperation, lockOpenOperation } from './operation.ts';

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

/** Record that an operation failed because its job did. What was applied before stays. */
export async function failOperation(ctx: Context, { operationId }: { operationId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const operation = await lockOpenOperation(ctx, operationId);
    if (operation) await endOperation(ctx, operation, 'failed', 'An internal error occurred.');
  });
}
