import { type Sql, sql } from '#src/lib/sql.ts';
import type { PromisedJob } from './promise.ts';

/**
 * The statement that writes promises; one that was made before (same tenant, job and key) is not made again.
 *
 * @param onlyWhere a condition on `promised`, whose columns are named as the fields of PromisedJob are
 */
export function insertPromises(promises: readonly PromisedJob[], onlyWhere: Sql = sql`true`): Sql {
  return sql`
    insert into outbox (id, tenant_id, job, queue, key, payload, due_at, next_relay_at, request_id, trace)
    select id, "tenantId", job, queue, key, payload, "dueAt", "dueAt", "requestId", trace
    from jsonb_to_recordset(${JSON.stringify(promises)}::jsonb)
      as promised(id text, "tenantId" text, job text, queue text, key text, payload jsonb, "dueAt" timestamptz,
                  "requestId" text, trace jsonb)
    where ${onlyWhere}
    on conflict (tenant_id, job, key) do nothing`;
}
