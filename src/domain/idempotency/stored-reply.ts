import { write } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { ClaimedRequest } from './keyed-request.ts';

/** What a request was answered: enough to answer it again, to the byte. */
export interface StoredReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Keep the answer of a claimed request, encrypted: it may hold what only its caller should see. In a transaction it
 * is kept with everything that the transaction writes, or not at all. Answers whether the lease still held.
 */
export async function storeReply(ctx: Context, { id, lease }: ClaimedRequest, reply: StoredReply): Promise<boolean> {
  const sealed = ctx.keyring.seal(ctx.tenant.id, replyField(id), JSON.stringify(reply));
  const kept = await write<{ id: string }>(
    ctx,
    sql`
    kept as (
      update idempotency_keys set reply_sealed = ${sealed}
      where tenant_id = ${ctx.tenant.id} and id = ${id} and lease = ${lease} and reply_sealed is null
      returning id)`,
    sql`select id from kept`,
  );
  return kept.length > 0;
}

export function openReply(ctx: Context, id: string, sealed: string): StoredReply {
  const reply: StoredReply = JSON.parse(ctx.keyring.open(ctx.tenant.id, replyField(id), sealed));
  return reply;
}

/** What a sealed reply is bound to, beside its store. */
export const replyField = (id: string) => `idempotent_reply ${id}`;
