import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../context.ts';
import { asPlatform, read, write } from '../database.ts';

/** What shoppers searched for in vain, how often, and when last. */
export interface SearchMiss {
  readonly query: string;
  readonly count: number;
  readonly lastAt: Date;
}

/** Remember what was searched for in vain: it says what the shop lacks, or how it should name what it has. */
export async function recordMiss(ctx: Context, typed: string): Promise<void> {
  await write(ctx, sql`
    missed as (
      insert into search_misses as m (tenant_id, query, count, last_at)
      values (${ctx.tenant.id}, ${typed.toLowerCase().replace(/\s+/g, ' ')}, 1, ${ctx.clock.now()})
      on conflict (tenant_id, query) do update set count = m.count + 1, last_at = excluded.last_at
      returning 1)`, sql`select * from missed`);
}

/** What is missed most, the most first. */
export async function listMisses(ctx: Context, { limit = 20 } = {}): Promise<SearchMiss[]> {
  return read<SearchMiss>(ctx, sql`
    select query, count, last_at as "lastAt" from search_misses
    where tenant_id = ${ctx.tenant.id} order by count desc, query limit ${limit}`, { replica: true });
}

const keepMs = days(90);
/** So many of one store are kept: whoever searches at random must not fill a disk. */
const perStoreMax = 5000;

/** Forget what was searched for long ago, and what is rare where a store has more than it may. */
export async function pruneMisses(ctx: PlatformContext): Promise<void> {
  await asPlatform(ctx, 'searches in vain of all stores are forgotten', (ctx) => ctx.tx.run(sql`
    delete from search_misses m using (
      select tenant_id, query, row_number() over (partition by tenant_id order by count desc, last_at desc) as rank, last_at
      from search_misses) as ranked
    where m.tenant_id = ranked.tenant_id and m.query = ranked.query
      and (ranked.last_at < ${fromNow(ctx.clock, -keepMs)} or ranked.rank > ${perStoreMax})`));
}
