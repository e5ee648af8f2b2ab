import type { Context } from '../context.ts';
import { moveReturn, type ReturnDecision } from './move-return.ts';
import type { ReturnRecord } from './read-returns.ts';

/** The money for what came back was sent back. Throws not_found, `return_not_allowed`. */
export async function refundReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'refunded');
}
