import { sql } from '#src/lib/sql.ts';
import type { TenantContext, WithTransaction } from './context.ts';

/** Lock one name of a kind within a store until the transaction ends, whether anything of that name exists or not. */
export async function lockName(ctx: WithTransaction<TenantContext>, kind: string, name: string): Promise<void> {
  const lock = JSON.stringify([kind, ctx.tenant.id, name]);
  await ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
}

/**
 * PostgreSQL keeps the locks of all transactions in one table of a few thousand places. A transaction that saves a
 * hundred thousand things must leave room for those of other stores.
 */
const locksPerKind = 1024;

/**
 * Lock many names of one kind; `lockName` does not wait for them. They are locked in one order, so that two transactions
 * that lock the same names at once cannot deadlock. Names share locks, so that a transaction holds few however many it
 * names: sometimes it waits for another one without need.
 */
export async function lockNames(
  ctx: WithTransaction<TenantContext>,
  kind: string,
  names: readonly string[],
): Promise<void> {
  await ctx.tx.execute(sql`
    select pg_advisory_xact_lock(hashtext(${`${kind} ${ctx.tenant.id}`}), place)
    from (
      select distinct hashtext(name) & ${locksPerKind - 1} as place from unnest(${names}::text[]) as name order by 1
    ) as places`);
}
