import { indexDocuments as indexDocumentsJob } from '#jobs/search.ts';
import { lockNames } from '#src/database/lock-names.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { composed } from '#src/lib/composed.ts';
import { minutes } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { textOfHtml } from '#src/lib/html.ts';
import { normalizeText } from '#src/lib/normalize-text.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type ProductDocument, productDocuments } from '../catalog/index.ts';
import type { Change } from '../change.ts';
import { announcement, type EntryDocument, entryDocuments } from '../content/index.ts';
import { type Context, type InTransaction, isShuttingDown } from '../context.ts';
import { indexWords } from './index-words.ts';
import { deleteEmbeddings, requestEmbeddings } from './request-embedding.ts';
import { textConfig } from './text-config.ts';

/** How much of a long text is indexed: a `tsvector` holds at most a megabyte. */
const bodyCharactersMax = 100_000;

/** The indexed text of a product or an entry. */
interface SearchDocument {
  readonly kind: 'product' | 'content';
  readonly subjectId: string;
  readonly slug: string;
  /** The type of an entry. */
  readonly type: string | null;
  readonly title: string;
  /** Slug and SKUs: a query that equals one of them means this document. */
  readonly names: readonly string[];
  /** Category, tags and the names of variants. */
  readonly keywords: string;
  readonly body: string;
  readonly visibleFrom: Date | null;
  readonly visibleUntil: Date | null;
}

/** How many documents are written in one transaction, which holds the words of the store meanwhile. */
const batchSize = 25;

/**
 * Update the search document of a product or an entry, or remove it when the subject is not published. Each change has a
 * job, and those of one subject wait for each other: the last of them has read the last change.
 */
export async function indexDocument(
  ctx: Context,
  { kind, id }: { kind: SearchDocument['kind']; id: string },
): Promise<void> {
  await completeJob(ctx, (ctx) => writeCurrent(ctx, kind, [id]));
}

/** The same for several subjects, in batches. When the process shuts down the job starts again. */
export async function indexDocuments(
  ctx: Context,
  { kind, documentIds }: { kind: SearchDocument['kind']; documentIds: readonly string[] },
): Promise<void> {
  for (let start = 0; start < documentIds.length; start += batchSize) {
    if (isShuttingDown(ctx)) throw new Snooze(0, 'the process shuts down');
    await transact(ctx, (ctx) => writeCurrent(ctx, kind, documentIds.slice(start, start + batchSize)));
  }
}

/** How many documents one job indexes again. */
const perJob = 1000;

/** By then every process knows the new language. */
const translatedMs = minutes(1);

/**
 * Index every document of a store again whose language was changed: its words are stored in the form that they have in
 * the language of the store, and looked for in it.
 * @returns the change
 */
export async function indexInLanguage(ctx: InTransaction, change: Change): Promise<Change> {
  if (!change.fields.includes('locale')) return change;
  const now = ctx.clock.now();
  const dueAt = fromNow(ctx.clock, translatedMs);
  for (const kind of ['product', 'content'] as const) {
    const documents = await ctx.tx.execute<{ id: string }>(sql`
      select subject_id as id from search_documents where tenant_id = ${ctx.tenant.id} and kind = ${kind}
      order by subject_id`);
    for (let start = 0; start < documents.length; start += perJob) {
      const documentIds = documents.slice(start, start + perJob).map(({ id }) => id);
      enqueue(ctx, indexDocumentsJob, { kind, documentIds, version: -now.getTime() }, { dueAt });
    }
  }
  return change;
}

async function writeCurrent(ctx: InTransaction, kind: SearchDocument['kind'], ids: readonly string[]): Promise<void> {
  // Two runs that both found no document would both count its words.
  await lockNames(ctx, `search ${kind}`, ids);
  const current =
    kind === 'product'
      ? (await productDocuments(ctx, ids)).map(documentOfProduct)
      : (await entryDocuments(ctx, ids)).flatMap(documentOfEntry);
  const documents = current.map(composedDocument);
  const before = await wordsBefore(ctx, kind, ids);
  const texts = documents.map(({ subjectId, title, keywords, body }) => {
    const words = [title, keywords].join('\n');
    return { id: subjectId, before: before.get(subjectId) ?? '', after: words, text: [words, body].join('\n') };
  });
  const shown = new Set(documents.map(({ subjectId }) => subjectId));
  const removed = ids.filter((id) => !shown.has(id));
  if (documents.length > 0) await writeDocuments(ctx, documents);
  if (removed.length > 0) await removeDocuments(ctx, kind, removed);
  await indexWords(ctx, [...texts, ...removed.map((id) => ({ before: before.get(id) ?? '', after: '' }))]);
  await requestEmbeddings(ctx, kind, texts);
  await deleteEmbeddings(ctx, kind, removed);
}

/** With one encoding of each accent, as queries have it: some systems write a letter and its accent apart. */
const composedDocument = (document: SearchDocument): SearchDocument => ({
  ...document,
  title: composed(document.title),
  names: document.names.map(composed),
  keywords: composed(document.keywords),
  body: composed(document.body),
});

function documentOfProduct(product: ProductDocument): SearchDocument {
  return {
    kind: 'product',
    subjectId: product.id,
    slug: product.slug,
    type: null,
    title: product.name,
    names: [product.slug, ...product.skus],
    keywords: [product.category ?? '', ...product.tags, ...product.variantNames].join(' '),
    body: product.description,
    visibleFrom: null,
    visibleUntil: null,
  };
}

function documentOfEntry(entry: EntryDocument): SearchDocument[] {
  const { publishedAt } = entry;
  if (!publishedAt) return [];
  // What begins later, such as a course, is found before. Only an announcement is shown from then.
  const { startsAt, endsAt } = entry.type === announcement ? entry : { startsAt: null, endsAt: null };
  return [
    {
      kind: 'content',
      subjectId: entry.id,
      slug: entry.slug,
      type: entry.type,
      title: entry.title,
      names: [entry.slug],
      keywords: entry.tags.join(' '),
      body: [entry.summary ?? '', plainText(entry.body)].filter(Boolean).join('\n'),
      visibleFrom: startsAt && startsAt > publishedAt ? startsAt : publishedAt,
      visibleUntil: endsAt,
    },
  ];
}

/** Most changes of a product, such as that of a price, change nothing here: then nothing is written. */
async function writeDocuments(ctx: InTransaction, documents: readonly SearchDocument[]): Promise<void> {
  const config = textConfig(ctx.tenant.locale);
  const rows = documents.map(({ title, names, body, ...document }) => ({
    ...document,
    title,
    normalizedTitle: normalizeText(title),
    names: names.map((name) => name.toLowerCase()),
    // A character may be cut in two.
    body: body.slice(0, bodyCharactersMax).toWellFormed(),
  }));
  await ctx.tx.execute(sql`
    insert into search_documents as d (tenant_id, kind, subject_id, slug, type, title, normalized_title, keywords, body,
      names, vector, visible_from, visible_until)
    select ${ctx.tenant.id}, kind, "subjectId", slug, type, title, "normalizedTitle", keywords, body, names,
      setweight(to_tsvector(${config}::regconfig, title), 'A')
        || setweight(to_tsvector(${config}::regconfig, keywords), 'B')
        || setweight(to_tsvector('simple', array_to_string(names, ' ')), 'B')
        || setweight(to_tsvector(${config}::regconfig, body), 'C'),
      "visibleFrom", "visibleUntil"
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(kind text, "subjectId" text, slug text, type text,
      title text, "normalizedTitle" text, keywords text, body text, names text[], "visibleFrom" timestamptz,
      "visibleUntil" timestamptz)
    on conflict (tenant_id, kind, subject_id) do update set
      slug = excluded.slug, type = excluded.type, title = excluded.title, normalized_title = excluded.normalized_title,
      keywords = excluded.keywords, body = excluded.body, names = excluded.names, vector = excluded.vector,
      visible_from = excluded.visible_from, visible_until = excluded.visible_until
    where (d.slug, d.type, d.title, d.normalized_title, d.keywords, d.body, d.names, d.vector, d.visible_from,
        d.visible_until)
      is distinct from (excluded.slug, excluded.type, excluded.title, excluded.normalized_title, excluded.keywords,
        excluded.body, excluded.names, excluded.vector, excluded.visible_from, excluded.visible_until)`);
}

/** The texts of the stored documents whose words correct misspelled ones, by the ids of their subjects. */
async function wordsBefore(
  ctx: InTransaction,
  kind: SearchDocument['kind'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const stored = await ctx.tx.execute<{ id: string; text: string }>(sql`
    select d.subject_id as id, d.title || E'\n' || d.keywords as text
    from unnest(${ids}::text[]) as given cross join lateral (
      select * from search_documents d
      where d.tenant_id = ${ctx.tenant.id} and d.kind = ${kind} and d.subject_id = given offset 0) as d`);
  return new Map(stored.map(({ id, text }) => [id, text]));
}

async function removeDocuments(
  ctx: InTransaction,
  kind: SearchDocument['kind'],
  ids: readonly string[],
): Promise<void> {
  await ctx.tx.execute(sql`
    delete from search_documents
    where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = any(${ids}::text[])`);
}

/** The beginning of a body without markup. */
function plainText({ format, value }: { format: string; value: string }): string {
  const beginning = value.slice(0, bodyCharactersMax);
  if (format === 'html') return textOfHtml(beginning);
  if (format === 'markdown')
    return beginning
      .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
      .replace(/[#*_`>]+/g, '')
      .trim();
  return beginning;
}
