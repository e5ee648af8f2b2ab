import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';

/** Released holds stay this long, because a late payment can still claim them. */
export const orderRetention: readonly Retention[] = [
  { table: 'holds', age: 'closed_at', retainedMs: days(90), only: sql`old.state = 'released'` },
];
