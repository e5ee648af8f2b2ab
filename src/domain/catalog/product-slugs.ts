import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** The slug of every product of the store, published or not. */
export async function productSlugs(ctx: Context): Promise<string[]> {
  const rows = await read<{ slug: string }>(
    ctx,
    sql`
    select slug from products where tenant_id = ${ctx.tenant.id} and removed_at is null order by slug`,
  );
  return rows.map(({ slug }) => slug);
}
