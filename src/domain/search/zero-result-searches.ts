import { asPlatform, read, writeRows } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { type Context, isShuttingDown, type PlatformContext } from '../context.ts';
import { leftForNextRun, type Retention, removeExpired } from '../remove-expired.ts';

/** A query without results, how often it was searched and when last. */
export interface ZeroResultSearch {
  readonly query: string;
  readonly count: number;
  readonly lastAt: Date;
}

/**
 * Record a query without results: it shows the owner what the store lacks, or how products should be named. What may
 * be an email is not recorded.
 */
export async function recordZeroResultSearch(ctx: Context, typed: string): Promise<void> {
  if (/[@＠]|%40/.test(typed)) return;
  await writeRows(
    ctx,
    sql`
    insert into zero_result_searches as m (tenant_id, query, count, last_at)
    values (${ctx.tenant.id}, ${typed.toLowerCase().replace(/\s+/g, ' ')}, 1, ${ctx.clock.now()})
    on conflict (tenant_id, query) do update set count = m.count + 1, last_at = excluded.last_at
    returning 1`,
  );
}

/** The queries without results, most frequent first. */
export async function listZeroResultSearches(ctx: Context, { limit = 20 } = {}): Promise<ZeroResultSearch[]> {
  return read<ZeroResultSearch>(
    ctx,
    sql`
    select query, count, last_at as "lastAt" from zero_result_searches
    where tenant_id = ${ctx.tenant.id} order by count desc, query limit ${limit}`,
    { replica: true },
  );
}

export const searchRetention: readonly Retention[] = [
  { table: 'zero_result_searches', age: 'last_at', retainedMs: days(90) },
];

/** Limits of what is stored, so that random queries cannot fill the disk. */
const defaultBounds = { perTenantMax: 5000, batchSize: 2000, batchesMax: 25 };

/**
 * Delete old queries, and the rarest ones of stores with too many, store by store, so that each statement reads the
 * rows of one store.
 *
 * @throws Snooze when rows are left to delete
 */
export async function pruneZeroResultSearches(
  ctx: PlatformContext,
  _period?: object,
  bounds = defaultBounds,
): Promise<void> {
  let isDone = true;
  let tenantId = await nextTenant(ctx, '');
  while (tenantId !== undefined && !isShuttingDown(ctx)) {
    isDone = (await removeSurplus(ctx, tenantId, bounds)) && isDone;
    tenantId = await nextTenant(ctx, tenantId);
  }
  await removeExpired(ctx, searchRetention);
  if (!isDone || tenantId !== undefined) throw leftForNextRun();
}

async function nextTenant(ctx: PlatformContext, after: string): Promise<string | undefined> {
  const [next] = await asPlatform(ctx, 'each store has searches that found nothing', (ctx) =>
    ctx.tx.execute<{ id: string | null }>(sql`
    select min(tenant_id) as id from zero_result_searches where tenant_id > ${after}`),
  );
  return next?.id ?? undefined;
}

async function removeSurplus(
  ctx: PlatformContext,
  tenantId: string,
  { perTenantMax, batchSize, batchesMax }: typeof defaultBounds,
): Promise<boolean> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const removed = await asPlatform(ctx, 'a store has more searches that found nothing than it may', (ctx) =>
      ctx.tx.execute(sql`
      delete from zero_result_searches where ctid = any(array(
        select ctid from zero_result_searches where tenant_id = ${tenantId}
        order by count desc, last_at desc offset ${perTenantMax} limit ${batchSize} for update skip locked))
      returning 1`),
    );
    if (removed.length < batchSize) return true;
  }
  return false;
}
