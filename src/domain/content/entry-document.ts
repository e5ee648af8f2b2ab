import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { EntryContent } from './entry-input.ts';

/** The fields of an entry that search indexes. */
export interface EntryDocument {
  readonly type: string;
  readonly slug: string;
  readonly title: string;
  readonly summary: string | null;
  readonly body: EntryContent;
  readonly tags: readonly string[];
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly publishedAt: Date | null;
}

/** An entry for the search index, published or not. Its row is locked against changes until the transaction ends. */
export async function entryDocument(ctx: InTransaction, id: string): Promise<EntryDocument | undefined> {
  await ctx.tx.execute(sql`select from entries where tenant_id = ${ctx.tenant.id} and id = ${id} for share`);
  const [entry] = await ctx.tx.execute<EntryDocument>(sql`
    select e.type, e.slug, e.title, e.summary, e.body, e.starts_at as "startsAt", e.ends_at as "endsAt",
      e.published_at as "publishedAt",
      array(select t.tag from entry_tags t
            where t.tenant_id = e.tenant_id and t.entry_id = e.id order by t.position) as tags
    from entries e where e.tenant_id = ${ctx.tenant.id} and e.id = ${id}`);
  return entry;
}
