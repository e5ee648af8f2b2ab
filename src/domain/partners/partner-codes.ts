import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** The code of every partner of the store. */
export async function partnerCodes(ctx: Context): Promise<string[]> {
  const rows = await read<{ code: string }>(
    ctx,
    sql`
    select code from partners where tenant_id = ${ctx.tenant.id} and removed_at is null order by code`,
  );
  return rows.map(({ code }) => code);
}
