import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';

/**
 * So long a job that was finished is known, so that the same one enqueued again is recognised; and a failed one waits.
 */
export const outboxRetention: readonly Retention[] = [
  { table: 'outbox', age: 'finished_at', retainedMs: days(7) },
  { table: 'outbox', age: 'failed_at', retainedMs: days(90) },
  // Events are needed by their deliveries, so they are retained one day longer.
  {
    table: 'events',
    age: 'created_at',
    retainedMs: days(31),
    isAppended: true,
    only: sql`not exists (
      select from webhook_deliveries d where d.tenant_id = old.tenant_id and d.event_id = old.id)`,
  },
];
