import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';

/** What shoppers did, without a key or by a storefront's, is many and brief. What the owner's side changed is kept. */
export const auditRetention: readonly Retention[] = [
  {
    table: 'audit_log',
    age: 'created_at',
    retainedMs: days(90),
    only: sql`(old.actor_kind = 'shopper' or old.action = 'billing_portal.opened')`,
  },
];
