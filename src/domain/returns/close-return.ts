import type { Context } from '../context.ts';
import { moveReturn, type ReturnDecision, releaseItems } from './move-return.ts';
import type { ReturnRecord } from './read-returns.ts';

/**
 * Nothing is left to do: the money went back, or the goods were replaced, or they never came. What never came can be
 * asked for again. Throws not_found, `return_not_allowed`.
 */
export async function closeReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'closed', async (ctx, closed, before) => {
    if (before === 'approved') await releaseItems(ctx, closed);
  });
}
