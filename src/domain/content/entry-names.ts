import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** What names an entry within its store. */
export interface EntryName {
  readonly type: string;
  readonly slug: string;
}

/** The name of every entry of the store, published or not. */
export async function entryNames(ctx: Context): Promise<EntryName[]> {
  return read<EntryName>(
    ctx,
    sql`select type, slug from entries where tenant_id = ${ctx.tenant.id} order by type, slug`,
  );
}
