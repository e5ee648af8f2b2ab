import type { Context } from '../context.ts';
import { moveReturn, type ReturnDecision, releaseItems } from './move-return.ts';
import type { ReturnRecord } from './read-returns.ts';

/** The shop does not take it back; another return may ask for the same. Throws not_found, `return_not_allowed`. */
export async function rejectReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'rejected', releaseItems);
}
