import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';

/** An order that expired gave back what it held: after this no late payment can claim it. */
export const orderRetention: readonly Retention[] = [
  { table: 'holds', age: 'closed_at', retainedMs: days(90), only: sql`old.state = 'released'` },
];
