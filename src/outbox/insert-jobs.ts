import { type Sql, sql } from '#src/lib/sql.ts';
import type { OutboxJob } from './outbox-job.ts';

/**
 * The statement that inserts jobs. A job that exists already (same tenant, job and key) is not inserted again.
 *
 * @param onlyWhere a condition on `new_job`, whose columns are named after the fields of OutboxJob
 */
export function insertJobs(jobs: readonly OutboxJob[], onlyWhere: Sql = sql`true`): Sql {
  return sql`
    insert into outbox (id, tenant_id, job, queue, key, payload, due_at, next_relay_at, request_id, trace)
    select id, "tenantId", job, queue, key, payload, "dueAt", "dueAt", "requestId", trace
    from jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)
      as new_job(id text, "tenantId" text, job text, queue text, key text, payload jsonb, "dueAt" timestamptz,
                 "requestId" text, trace jsonb)
    where ${onlyWhere}
    on conflict (tenant_id, job, key) do nothing`;
}
