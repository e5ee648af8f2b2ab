import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';

/** A visit counts for as long as its partner's window says. */
export const partnerRetention: readonly Retention[] = [
  {
    table: 'partner_referrals',
    age: 'last_seen_at',
    retainedMs: days(30),
    only: (now) => sql`not exists (
      select from partners p where p.tenant_id = old.tenant_id and p.id = old.partner_id and p.removed_at is null
        and old.last_seen_at + p.window_ms * interval '1 millisecond' > ${now})`,
  },
];
