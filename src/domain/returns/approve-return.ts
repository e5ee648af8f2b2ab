import type { Context } from '../context.ts';
import { moveReturn, type ReturnDecision } from './move-return.ts';
import type { ReturnRecord } from './read-returns.ts';

/** The shopper may send it back. Throws not_found, `return_not_allowed`. */
export async function approveReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'approved');
}
