import type { Context } from '../context.ts';
import { moveReturn, type ReturnDecision } from './move-return.ts';
import type { ReturnRecord } from './read-returns.ts';

/** Nothing is left to do. Throws not_found, `return_not_allowed`. */
export async function closeReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'closed');
}
