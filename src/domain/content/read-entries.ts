import { read, readOne } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { found } from '#src/lib/errors.ts';
import { opaque, type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { isNamed } from './entry-name.ts';
import type { EntryRow } from './present.ts';

export interface EntryFilter extends PageRequest {
  readonly tag?: string | undefined;
}

/** One page of the published entries of a type, newest first. Empty for an unknown type. */
export async function listEntries(
  ctx: Context,
  type: string,
  { tag, cursor, limit = 20 }: EntryFilter,
): Promise<Page<EntryRow>> {
  const list = keyset(ctx, `content ${type}`, { columns: ['d.published_at', 'd.id'], descending: true }, cursor);
  const now = ctx.clock.now();
  const from =
    tag === undefined
      ? sql`select id, published_at from entries
        where tenant_id = ${ctx.tenant.id} and type = ${type} and published_at <= ${now}`
      : sql`select entry_id as id, published_at from entry_tags
        where tenant_id = ${ctx.tenant.id} and type = ${type} and tag = ${tag} and published_at <= ${now}`;
  const rows = await read<EntryRow & { position: Position }>(
    ctx,
    sql`
    select e.*, d.position
    from (
      select d.*, ${list.position} as position from (${from}) as d
      where ${list.after} order by ${list.by} limit ${limit + 1}) as d
    cross join lateral (${publishedEntries(ctx)} and e.id = d.id offset 0) as e
    order by ${list.by}`,
    { brief: true },
  );
  return list.page(rows, limit);
}

/** @throws DomainError not_found */
export async function findEntry(ctx: Context, type: string, slug: string): Promise<EntryRow> {
  const named = sql`${publishedEntries(ctx)} and ${isNamed({ type, slug })}`;
  return found(await readOne<EntryRow>(ctx, named, { brief: true }), 'entry');
}

/**
 * One page of the published announcements that are active now, newest first. They are read by their end, as a whole,
 * so that those of the past, of which there are ever more, are not; hence no range of their publication.
 */
export async function listActiveAnnouncements(
  ctx: Context,
  { cursor, limit = 100 }: PageRequest,
): Promise<Page<EntryRow>> {
  const order = { columns: ['e.published_at', 'e.id'], descending: true };
  const list = keyset(ctx, 'active announcements', order, cursor);
  const rows = await read<EntryRow & { position: Position }>(
    ctx,
    sql`
    with e as materialized (
      select * from entries e
      where e.tenant_id = ${ctx.tenant.id} and e.type = ${announcement} and e.published_at is not null
        and case when e.published_at <= ${ctx.clock.now()} then true end and ${isActive(ctx)})
    select ${entryColumns}, ${list.position} as position from e
    where ${list.after} order by ${list.by} limit ${limit + 1}`,
    { brief: true },
  );
  return list.page(rows, limit);
}

/** The type of the entries that are shown only from their start until their end. */
export const announcement = 'announcement';

// Under row-level security an index is used for `case`, and not for `coalesce`.
const isActive = ({ clock }: Context): Sql => sql`(e.starts_at is null or e.starts_at <= ${clock.now()})
  and case when e.ends_at is null then 'infinity' else e.ends_at end > ${clock.now()}`;

/** The condition that the entry with this id is published and, if it is an announcement, active. */
export const isEntryShown = (ctx: Context, id: Sql): Sql => sql`exists (
  ${publishedEntries(ctx)} and e.id = ${id} and (e.type <> ${announcement} or ${isActive(ctx)}) offset 0)`;

/** A query for the published entries `e`, to which conditions are appended. */
const publishedEntries = (ctx: Context): Sql => sql`
  select ${entryColumns} from entries e where e.tenant_id = ${opaque(ctx.tenant.id)} and e.published_at <= ${ctx.clock.now()}`;

/** The tags of an entry `e`, in the order of their input. */
export const tagsOfEntry: Sql = sql`array(
  select t.tag from entry_tags t where t.tenant_id = e.tenant_id and t.entry_id = e.id order by t.position)`;

/** The columns of `EntryRow`, of an entry `e`. */
export const entryColumns: Sql = sql`
  e.id, e.type, e.slug, e.title, e.summary, e.body, e.image, e.author, e.starts_at as "startsAt", e.ends_at as "endsAt",
  e.published_at as "publishedAt", e.updated_at as "updatedAt", ${tagsOfEntry} as tags`;
