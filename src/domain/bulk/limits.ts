import { lockName } from '#src/database/lock-names.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { rateLimited } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** An upload takes minutes. After this time it will not end any more: its process was killed. */
export const receivingMs = hours(1);
/** How many operations of a store are in progress at most. */
const openMax = 10;
/** How long the file of an export is stored. That of an import is deleted when the import ends. */
const fileLifeMs = days(1);
/** How much the files of a store take when another operation begins. */
const storedBytesMax = 1_000_000_000;

/**
 * Check whether a store may begin another operation. Those that begin at the same time wait for each other.
 * @throws DomainError `rate_limited`
 */
export async function checkLimits(ctx: InTransaction): Promise<void> {
  await lockName(ctx, 'bulk', 'operations');
  const [{ open, bytes } = { open: 0, bytes: 0 }] = await ctx.tx.execute<{ open: number; bytes: number }>(sql`
    select count(*) filter (where finished_at is null and state <> 'previewed' and not (
        state = 'receiving' and created_at < ${fromNow(ctx.clock, -receivingMs)}::timestamptz))::int as open,
      coalesce(sum(file_bytes) filter (where finished_at is null or type = 'export'), 0)::float8 as bytes
    from bulk_operations
    where tenant_id = ${ctx.tenant.id} and (finished_at is null or finished_at > ${fromNow(ctx.clock, -fileLifeMs)})`);
  if (open >= openMax) {
    throw rateLimited(`${openMax} imports, exports and bulk changes of this store are in progress.`, {
      retryAfterSeconds: minutes(1) / 1000,
      limit: openMax,
    });
  }
  if (bytes >= storedBytesMax) {
    throw rateLimited(
      'The files of this store take 1 GB. Those of exports are deleted a day after they were written.',
      {
        retryAfterSeconds: hours(1) / 1000,
        limit: storedBytesMax,
      },
    );
  }
}
