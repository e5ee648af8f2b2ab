import { readPage } from '#src/database/read-page.ts';
import { read, readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { opaque, type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type EntryName, isNamed } from './entry-name.ts';
import { EntryBody } from './present.ts';
import { entryColumns } from './read-entries.ts';

/** An entry as the owner sees it, including drafts and entries to be published later. */
export type ManagedEntry = RowOf<typeof ManagedEntryView>;

/**
 * One page of the store's entries, newest first, optionally of one type.
 * @throws DomainError `invalid_cursor`
 */
export async function listManagedEntries(
  ctx: Context,
  { type, ...page }: PageRequest & { type?: string | undefined },
): Promise<Page<ManagedEntry>> {
  const byType = type === undefined ? undefined : { column: 'e.type', value: type };
  return readPage<ManagedEntry>(
    ctx,
    { name: 'managed content', of: byType, columns: ['e.id'], descending: true },
    page,
    (position) => select(ctx.tenant.id, position),
    { replica: true },
  );
}

/** @returns the entry, or `undefined` for an unknown name */
export async function readManagedEntry(ctx: Context, name: EntryName): Promise<ManagedEntry | undefined> {
  return readOne<ManagedEntry>(ctx, sql`${select(opaque(ctx.tenant.id))} and ${isNamed(name)}`);
}

const select = (tenantId: string | Sql, more: Sql = sql``): Sql => sql`
  select ${entryColumns}, e.version, e.created_at as "createdAt"${more}
  from entries e where e.tenant_id = ${tenantId}`;

/** An entry as the owner sees it. Sending it back unchanged changes nothing. */
export const ManagedEntryView = Type.Object(
  {
    ...EntryBody.properties,
    /** Null is a draft. */
    published_at: Nullable(Timestamp),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'ManagedContentEntry' },
);

export function presentManagedEntry(entry: ManagedEntry): Static<typeof ManagedEntryView> {
  return presentAs(ManagedEntryView, entry);
}

/** The names of all entries of the store, published or not. */
export async function entryNames(ctx: Context): Promise<EntryName[]> {
  return read<EntryName>(
    ctx,
    sql`select type, slug from entries where tenant_id = ${ctx.tenant.id} order by type, slug`,
  );
}
