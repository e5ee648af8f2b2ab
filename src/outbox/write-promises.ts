import { sql } from '#src/lib/sql.ts';
import type { Promiser } from './promise.ts';

/** Write what a transaction promised and recorded, one statement each. Called by `transact` just before the commit. */
export async function writePromises({ promises, events, run }: NonNullable<Promiser['tx']>): Promise<void> {
  if (events.length > 0) {
    await run(sql`
      insert into events (tenant_id, id, type, object_id, created_at)
      select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
        as event("tenantId" text, id text, type text, "objectId" text, at timestamptz)`);
  }
  if (promises.length > 0) {
    await run(sql`
      insert into outbox (id, tenant_id, job, queue, key, payload, due_at, next_relay_at, request_id, trace)
      select id, "tenantId", job, queue, key, payload, "dueAt", "dueAt", "requestId", trace
      from jsonb_to_recordset(${JSON.stringify(promises)}::jsonb)
        as promised(id text, "tenantId" text, job text, queue text, key text, payload jsonb, "dueAt" timestamptz,
                    "requestId" text, trace jsonb)
      on conflict (tenant_id, job, key) do nothing`);
  }
}
