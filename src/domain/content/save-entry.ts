import { isDeepStrictEqual } from 'node:util';
import { indexDocument } from '#jobs/search.ts';
import { lockNames } from '#src/database/lock-names.ts';
import { newId } from '#src/lib/ids.ts';
import { opaque, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Change, IdentifiedChange } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { completeEntry, type EntryInput, type EntryRecord } from './entry-input.ts';
import { type EntryName, isNamed } from './entry-name.ts';
import { tagsOfEntry } from './read-entries.ts';

type SavedEntry = Omit<EntryRecord, Times> & { readonly id: string } & Readonly<Record<Times, Date | null>>;
type Times = 'starts_at' | 'ends_at' | 'published_at';

/** Create an entry or update it to its input. Nothing is written when nothing differs. */
export async function saveEntry(ctx: InTransaction, input: EntryInput): Promise<IdentifiedChange> {
  const { type, slug } = input;
  const subject = `content ${type}/${slug}`;
  const current = await lockEntry(ctx, type, slug);
  const wanted = completeEntry(input);
  const fields = current
    ? entryFields.filter((field) => !isDeepStrictEqual(comparable(current[field]), wanted[field]))
    : [];
  if (current && fields.length === 0) return { id: current.id, subject, action: 'unchanged', fields };

  const id = current?.id ?? newId('entry');
  const version = await writeEntry(ctx, { ...wanted, id, type, slug });
  enqueue(ctx, indexDocument, { kind: 'content', id, version });
  const values =
    current && Object.fromEntries(fields.map((field) => [field, [current[field], wanted[field]] as const]));
  return { id, subject, action: current ? 'updated' : 'created', fields, ...(values && { values }) };
}

const entryFields = [
  'title',
  'summary',
  'body',
  'tags',
  'image',
  'author',
  'starts_at',
  'ends_at',
  'published_at',
] as const satisfies (keyof EntryRecord)[];

const comparable = (value: unknown) => (value instanceof Date ? value.toISOString() : value);

/** The entry of this name. The name is locked until the transaction ends, even if there is no such entry. */
async function lockEntry(ctx: InTransaction, type: string, slug: string): Promise<SavedEntry | undefined> {
  await lockNames(ctx, 'content', [`${type}/${slug}`]);
  const [entry] = await ctx.tx.execute<SavedEntry>(sql`
    select e.id, e.title, e.summary, e.body, e.image, e.author, e.starts_at, e.ends_at, e.published_at,
      ${tagsOfEntry} as tags
    from entries e where e.tenant_id = ${opaque(ctx.tenant.id)} and ${isNamed({ type, slug })}`);
  return entry;
}

type NamedEntry = EntryRecord & { readonly id: string; readonly type: string; readonly slug: string };

async function writeEntry(ctx: InTransaction, entry: NamedEntry): Promise<number> {
  const now = ctx.clock.now();
  const [row] = await ctx.tx.execute<{ version: number }>(sql`
    with entry as (
      insert into entries (tenant_id, id, type, slug, title, summary, body, image, author, starts_at, ends_at,
        published_at, version, created_at, updated_at)
      values (${ctx.tenant.id}, ${entry.id}, ${entry.type}, ${entry.slug}, ${entry.title}, ${entry.summary},
        ${JSON.stringify(entry.body)}, ${entry.image && JSON.stringify(entry.image)}, ${entry.author},
        ${entry.starts_at}, ${entry.ends_at}, ${entry.published_at}, 1, ${now}, ${now})
      on conflict (tenant_id, id) do update set
        title = excluded.title, summary = excluded.summary, body = excluded.body, image = excluded.image,
        author = excluded.author, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
        published_at = excluded.published_at, version = entries.version + 1, updated_at = excluded.updated_at
      returning version),
    untagged as (
      delete from entry_tags
      where tenant_id = ${ctx.tenant.id} and entry_id = ${entry.id} and not (tag = any(${entry.tags}::text[]))),
    tagged as (
      insert into entry_tags (tenant_id, entry_id, tag, position, type, published_at)
      select ${ctx.tenant.id}, ${entry.id}, tag, position, ${entry.type}, ${entry.published_at}::timestamptz
      from unnest(${entry.tags}::text[]) with ordinality as t(tag, position)
      on conflict (tenant_id, entry_id, tag) do update set position = excluded.position,
        published_at = excluded.published_at)
    select version from entry`);
  return row?.version ?? 1;
}

export async function removeEntry(ctx: InTransaction, name: EntryName): Promise<Change> {
  const nameInStore = `${name.type}/${name.slug}`;
  await lockNames(ctx, 'content', [nameInStore]);
  const [removed] = await ctx.tx.execute<{ id: string; version: number }>(sql`
    delete from entries e where e.tenant_id = ${opaque(ctx.tenant.id)} and ${isNamed(name)}
    returning id, version + 1 as version`);
  if (removed) enqueue(ctx, indexDocument, { kind: 'content', ...removed });
  const action = removed ? 'removed' : 'unchanged';
  return { ...(removed && { id: removed.id }), subject: `content ${nameInStore}`, action, fields: [] };
}
