import { lockName } from '#src/database/lock-names.ts';
import { sql } from '#src/lib/sql.ts';
import { normalizeText } from '../catalog/index.ts';
import type { InTransaction } from '../context.ts';
import { countMax, wordsIn } from './vocabulary.ts';

/**
 * Count a changed document in the words that it contains now and no longer in those that it contained before. A word
 * without documents is deleted; one of very many documents is counted no further and stays.
 */
export async function indexWords(ctx: InTransaction, before: string, after: string): Promise<void> {
  const [old, current] = [wordsIn(before), wordsIn(after)];
  const changed = [...new Set([...old, ...current])].filter((word) => old.has(word) !== current.has(word));
  if (changed.length === 0) return;
  const counted = await ctx.tx.execute<{ written: string }>(sql`
    select w.written
    from unnest(${changed.map(normalizeText)}::text[], ${changed}::text[]) as c(plain, written)
    cross join lateral (
      select * from search_words w
      where w.tenant_id = ${ctx.tenant.id} and w.plain = c.plain and w.written = c.written offset 0) as w
    where w.documents >= ${countMax}`);
  const frequent = new Set(counted.map(({ written }) => written));
  const rows = changed
    .filter((written) => !frequent.has(written))
    .map((written) => ({ plain: normalizeText(written), written, change: current.has(written) ? 1 : -1 }));
  if (rows.length > 0) await countWords(ctx, rows);
}

/** One transaction of a store at a time changes its words, so that two cannot wait for each other. */
async function countWords(
  ctx: InTransaction,
  rows: readonly { plain: string; written: string; change: number }[],
): Promise<void> {
  await lockName(ctx, 'search words', 'all');
  await ctx.tx.execute(sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(plain text, written text, change int)),
    gained as (
      insert into search_words as w (tenant_id, plain, written, documents)
      select ${ctx.tenant.id}, plain, written, 1 from given where change > 0
      on conflict (tenant_id, plain, written) do update set documents = least(w.documents + 1, ${countMax})),
    lost as (
      update search_words w set documents = w.documents - 1 from given g
      where w.tenant_id = ${ctx.tenant.id} and w.plain = g.plain and w.written = g.written and g.change < 0
        and w.plain = any(array(select plain from given)) and w.documents between 2 and ${countMax - 1})
    delete from search_words w using given g
    where w.tenant_id = ${ctx.tenant.id} and w.plain = g.plain and w.written = g.written and g.change < 0
      and w.plain = any(array(select plain from given)) and w.documents = 1`);
}
