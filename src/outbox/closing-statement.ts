import { joinSql, type Sql, sql } from '#src/lib/sql.ts';
import type { RecordedEvent } from './events.ts';
import { insertPromises } from './insert-promises.ts';
import type { PromisedJob } from './promise.ts';
import { finish } from './runs.ts';

/** The promise whose outcome a transaction writes. */
export interface KeptPromise {
  readonly outboxId: string;
  /** Set once the commit that keeps it is through. */
  isKept: boolean;
}

/** What a transaction leaves for its last statement. */
export interface Closing {
  readonly events: readonly RecordedEvent[];
  readonly promises: readonly PromisedJob[];
  readonly kept?: { readonly promise: KeptPromise; readonly at: Date } | undefined;
}

/**
 * The one statement that writes what a transaction recorded, promised and keeps, just before its commit; `undefined`
 * when it did none of it.
 */
export function closingStatement({ events, promises, kept }: Closing): Sql | undefined {
  const changes: Sql[] = [];
  if (events.length > 0) changes.push(sql`recorded as (${record(events)})`);
  if (promises.length > 0) changes.push(sql`promised as (${insertPromises(promises)})`);
  if (kept) changes.push(sql`kept as (${finish(kept.promise.outboxId, kept.at)})`);
  return changes.length > 0 ? sql`with ${joinSql(changes, ', ')} select` : undefined;
}

function record(events: readonly RecordedEvent[]): Sql {
  return sql`
    insert into events (tenant_id, id, type, object_id, created_at)
    select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as event("tenantId" text, id text, type text, "objectId" text, at timestamptz)`;
}
