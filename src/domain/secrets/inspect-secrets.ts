import { asPlatform } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { named, sealedColumns } from './rewrap-secrets.ts';

/** The values of one column that one key sealed. */
export interface KeyUse {
  readonly table: string;
  readonly column: string;
  readonly keyId: string;
  readonly count: number;
  /**
   *   current   sealed by the first key of the keyring
   *   stale     sealed by an older key, which still opens them
   *   closed    the keyring has no such key, or a different one with its id
   */
  readonly state: 'current' | 'stale' | 'closed';
}

/** Count the sealed values by column and key, and check on one value of each whether the keyring opens it. */
export async function inspectSecrets(ctx: PlatformContext): Promise<KeyUse[]> {
  const uses: KeyUse[] = [];
  for (const column of sealedColumns) {
    const { table, sealed, tenantId, id } = named(column);
    const found = await asPlatform(ctx, 'operators see which key sealed which values of all stores', (ctx) =>
      ctx.tx.execute<{ keyId: string; count: number; tenantId: string; id: string; sealed: string }>(sql`
        select split_part(${sealed}, ':', 1) as "keyId", count(*) as count, (array_agg(${tenantId}))[1] as "tenantId",
          (array_agg(${id}))[1] as id, (array_agg(${sealed}))[1] as sealed
        from ${table} where ${sealed} is not null group by 1 order by 1`),
    );
    for (const { keyId, count, ...sample } of found) {
      const opens = opensTo(ctx, sample.tenantId, column.fieldOf(sample.id), sample.sealed);
      const state = opens ? (keyId === ctx.keyring.ids[0] ? 'current' : 'stale') : 'closed';
      uses.push({ table: column.table, column: column.column, keyId, count, state });
    }
  }
  return uses;
}

function opensTo(ctx: PlatformContext, tenantId: string, field: string, sealed: string): boolean {
  try {
    ctx.keyring.open(tenantId, field, sealed);
    return true;
  } catch {
    return false;
  }
}
