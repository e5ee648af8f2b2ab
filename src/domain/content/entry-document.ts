import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { ManagedEntry } from './managed-entries.ts';
import { tagsOfEntry } from './read-entries.ts';

/** The fields of an entry that search indexes. */
export type EntryDocument = Omit<ManagedEntry, 'image' | 'author' | 'version' | 'createdAt' | 'updatedAt'>;

/** These entries for the search index, published or not. */
export async function entryDocuments(ctx: InTransaction, ids: readonly string[]): Promise<EntryDocument[]> {
  return ctx.tx.execute<EntryDocument>(sql`
    select e.id, e.type, e.slug, e.title, e.summary, e.body, e.starts_at as "startsAt", e.ends_at as "endsAt",
      e.published_at as "publishedAt", ${tagsOfEntry} as tags
    from unnest(${ids}::text[]) as given cross join lateral (
      select * from entries e where e.tenant_id = ${ctx.tenant.id} and e.id = given offset 0) as e`);
}
