import type { Static, TObject } from 'typebox';

import type { JobDefinition } from '#jobs/lib/define-job.ts';
import { runOnPlatformTables } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { sql } from '#src/lib/sql.ts';

/** The payloads of this tenant's outbox jobs of one name, oldest first, completed or not. */
export async function enqueuedJobs<Schema extends TObject>(
  ctx: Context,
  job: JobDefinition<Schema>,
): Promise<Static<Schema>[]> {
  const rows = await runOnPlatformTables<{ payload: Static<Schema> }>(
    ctx,
    sql`
    select payload from outbox where tenant_id = ${ctx.tenant.id} and job = ${job.name} order by id`,
  );
  return rows.map(({ payload }) => payload);
}

/** The types of the events that were recorded of an object, oldest first. */
export async function recorded(ctx: Context, objectId: string): Promise<string[]> {
  const rows = await ctx.database.pool.query(
    `select e.type from set_config('app.tenant_id', $1, true) scope(id),
      lateral (select type, id from events where tenant_id = scope.id and object_id = $2 offset 0) e order by e.id`,
    [ctx.tenant.id, objectId],
  );
  return rows.rows.map(({ type }) => type as string);
}
