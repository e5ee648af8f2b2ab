import type { Context } from '../context.ts';
import { moveReturn, type ReturnDecision } from './move-return.ts';
import type { ReturnRecord } from './read-returns.ts';

/** The goods have come back. Whether they can be sold again, the owner says by their stock. Throws not_found, `return_not_allowed`. */
export async function receiveReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'received');
}
