import { asPlatform } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import type { Operation } from './operation.ts';

/** An operation in progress, as operators see it. */
export interface OpenOperation
  extends Pick<Operation, 'id' | 'type' | 'kind' | 'state' | 'rowsDone' | 'rowsTotal' | 'rowsFailed' | 'createdAt'> {
  readonly tenantId: string;
}

/** The operations of every store that are in progress, the oldest first. */
export async function openOperations(ctx: PlatformContext, limit: number): Promise<OpenOperation[]> {
  return asPlatform(ctx, 'operators see the imports, exports and bulk changes of every store', (ctx) =>
    ctx.tx.execute<OpenOperation>(sql`
    select tenant_id as "tenantId", id, type, kind, state, rows_done as "rowsDone",
      rows_total as "rowsTotal", rows_failed as "rowsFailed", created_at as "createdAt"
    from bulk_operations where finished_at is null and state <> 'previewed' order by created_at limit ${limit}`),
  );
}
