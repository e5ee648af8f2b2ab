import { write } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { ClaimedRequest } from './keyed-request.ts';

/** Let the next try run at once: this one has come to no answer that should be kept. */
export async function releaseRequest(ctx: Context, { id, lease }: ClaimedRequest): Promise<void> {
  await write(
    ctx,
    sql`
    released as (
      update idempotency_keys set leased_until = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = ${id} and lease = ${lease} and reply_sealed is null
      returning id)`,
    sql`select id from released`,
  );
}
