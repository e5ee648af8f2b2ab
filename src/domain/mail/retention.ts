import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

/** How long sent emails are stored. Those still to be sent stay. */
export const mailRetention: readonly Retention[] = [
  {
    table: 'mails',
    age: 'created_at',
    retainedMs: days(90),
    only: sql`old.state not in ('queued', 'sending')`,
    isAppended: true,
  },
];

/** Delete old emails, for all stores. */
export async function pruneMails(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, mailRetention);
}
