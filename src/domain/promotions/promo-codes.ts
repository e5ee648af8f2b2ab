import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** Every promo code of the store that was not removed. */
export async function promoCodes(ctx: Context): Promise<string[]> {
  const rows = await read<{ code: string }>(
    ctx,
    sql`
    select code from promo_codes where tenant_id = ${ctx.tenant.id} and removed_at is null order by code`,
  );
  return rows.map(({ code }) => code);
}
