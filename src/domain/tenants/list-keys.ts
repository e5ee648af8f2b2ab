import { runOnPlatformTables } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest } from '#src/lib/cursor.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type ApiKey, keyColumns } from './api-key.ts';

/** The keys of the context's store, revoked ones included, oldest first. */
export async function listKeys(ctx: Context, { cursor, limit = 100 }: PageRequest = {}): Promise<Page<ApiKey>> {
  const list = keyset(ctx, 'keys', { columns: ['id'] }, cursor);
  const rows = await runOnPlatformTables<ApiKey & { position: string[] }>(
    ctx,
    sql`
    select ${keyColumns}, ${list.position} as position from api_keys
    where tenant_id = ${ctx.tenant.id} and ${list.after} order by ${list.by} limit ${limit + 1}`,
  );
  return list.page(rows, limit);
}
