import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { readOne } from '../database.ts';

/** Whether mail to this address is pointless: its server said that there is no such mailbox. */
export async function isSuppressed(ctx: Context, address: string): Promise<boolean> {
  const row = await readOne(ctx, sql`
    select 1 as found from mail_suppressions where tenant_id = ${ctx.tenant.id} and address = ${address}`);
  return row !== undefined;
}

export async function suppress(ctx: InTransaction, address: string, reason: 'bounced'): Promise<void> {
  await ctx.tx.run(sql`
    insert into mail_suppressions (tenant_id, address, reason, created_at)
    values (${ctx.tenant.id}, ${address}, ${reason}, ${ctx.clock.now()})
    on conflict do nothing`);
}
