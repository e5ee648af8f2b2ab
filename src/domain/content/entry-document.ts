import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { EntryContent } from './entry-input.ts';

/** The fields of an entry that search indexes. */
export interface EntryDocument {
  readonly id: string;
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

/** These entries for the search index, published or not. */
export async function entryDocuments(ctx: InTransaction, ids: readonly string[]): Promise<EntryDocument[]> {
  return ctx.tx.execute<EntryDocument>(sql`
    select e.id, e.type, e.slug, e.title, e.summary, e.body, e.starts_at as "startsAt", e.ends_at as "endsAt",
      e.published_at as "publishedAt",
      array(select t.tag from entry_tags t
            where t.tenant_id = e.tenant_id and t.entry_id = e.id order by t.position) as tags
    from unnest(${ids}::text[]) as given cross join lateral (
      select * from entries e where e.tenant_id = ${ctx.tenant.id} and e.id = given offset 0) as e`);
}
