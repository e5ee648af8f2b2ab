import { lockName } from '#src/database/lock-names.ts';
import { normalizeText } from '#src/lib/normalize-text.ts';
import { opaque, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { countMax, wordsIn } from './vocabulary.ts';

/** The words of a document before and after it was changed. */
export interface ChangedText {
  readonly before: string;
  readonly after: string;
}

/**
 * Count changed documents in the words that they contain now and no longer in those that they contained before. A word
 * without documents is deleted; one of very many documents is counted no further and stays.
 */
export async function indexWords(ctx: InTransaction, texts: readonly ChangedText[]): Promise<void> {
  const changes = changesOf(texts);
  if (changes.size === 0) return;
  const changed = [...changes.keys()];
  const counted = await ctx.tx.execute<{ written: string }>(sql`
    select w.written
    from unnest(${changed.map(normalizeText)}::text[], ${changed}::text[]) as c(plain, written)
    cross join lateral (
      select * from search_words w
      where w.tenant_id = ${opaque(ctx.tenant.id)} and w.plain = c.plain and w.written = c.written offset 0) as w
    where w.documents >= ${countMax}`);
  for (const { written } of counted) changes.delete(written);
  const rows = [...changes].map(([written, change]) => ({ plain: normalizeText(written), written, change }));
  if (rows.length > 0) await countWords(ctx, rows);
}

/** In how many more documents each word is now, or in how many fewer. */
function changesOf(texts: readonly ChangedText[]): Map<string, number> {
  const changes = new Map<string, number>();
  const add = (word: string, change: number) => changes.set(word, (changes.get(word) ?? 0) + change);
  for (const { before, after } of texts) {
    for (const word of wordsIn(after)) add(word, 1);
    for (const word of wordsIn(before)) add(word, -1);
  }
  for (const [word, change] of changes) if (change === 0) changes.delete(word);
  return changes;
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
      select ${ctx.tenant.id}, plain, written, least(change, ${countMax}) from given where change > 0
      on conflict (tenant_id, plain, written) do update
        set documents = least(w.documents + excluded.documents, ${countMax})),
    lost as (
      update search_words w set documents = w.documents + g.change from given g
      where w.tenant_id = ${opaque(ctx.tenant.id)} and w.plain = g.plain and w.written = g.written and g.change < 0
        and w.plain = any(array(select plain from given)) and w.documents > -g.change and w.documents < ${countMax})
    delete from search_words w using given g
    where w.tenant_id = ${opaque(ctx.tenant.id)} and w.plain = g.plain and w.written = g.written and g.change < 0
      and w.plain = any(array(select plain from given)) and w.documents <= -g.change and w.documents < ${countMax}`);
}
