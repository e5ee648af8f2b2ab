import { write } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** Sign out: neither the session's token nor any of its refresh tokens opens anything from now on. Twice is once. */
export async function endSession(ctx: Context, sessionId: string): Promise<void> {
  await write(
    ctx,
    sql`
    ended as (
      update sessions set ended_at = ${ctx.clock.now()}, end_reason = 'signed_out'
      where tenant_id = ${ctx.tenant.id} and id = ${sessionId} and ended_at is null
      returning id)`,
    sql`
    select id from ended`,
  );
}
