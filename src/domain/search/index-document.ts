import { lockName } from '#src/database/lock-names.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { normalizeText, productDocument } from '../catalog/index.ts';
import { entryDocument } from '../content/index.ts';
import { type Context, type InTransaction, isShuttingDown } from '../context.ts';
import { indexWords } from './index-words.ts';
import { deleteEmbedding, requestEmbedding } from './request-embedding.ts';
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

/**
 * Update the search document of a product or an entry, or remove it when the subject is not published. The subject is
 * locked, so that concurrent jobs cannot leave an outdated document.
 */
export async function indexDocument(
  ctx: Context,
  { kind, id }: { kind: SearchDocument['kind']; id: string },
): Promise<void> {
  await completeJob(ctx, (ctx) => writeCurrent(ctx, kind, id));
}

/** The same for several subjects, one transaction each. When the process shuts down the job starts again. */
export async function indexDocuments(
  ctx: Context,
  { kind, documentIds }: { kind: SearchDocument['kind']; documentIds: readonly string[] },
): Promise<void> {
  for (const id of documentIds) {
    if (isShuttingDown(ctx)) throw new Snooze(0, 'the process shuts down');
    await transact(ctx, (ctx) => writeCurrent(ctx, kind, id));
  }
}

async function writeCurrent(ctx: InTransaction, kind: SearchDocument['kind'], id: string): Promise<void> {
  // Two runs that both found no document would both count its words.
  await lockName(ctx, 'search document', `${kind} ${id}`);
  await (kind === 'product' ? indexProduct(ctx, id) : indexEntry(ctx, id));
}

async function indexProduct(ctx: InTransaction, id: string): Promise<void> {
  const product = await productDocument(ctx, id);
  if (!product) return removeDocument(ctx, 'product', id);
  await writeDocument(ctx, {
    kind: 'product',
    subjectId: id,
    slug: product.slug,
    type: null,
    title: product.name,
    names: [product.slug, ...product.skus],
    keywords: [product.category ?? '', ...product.tags, ...product.variantNames].join(' '),
    body: product.description,
    visibleFrom: null,
    visibleUntil: null,
  });
}

async function indexEntry(ctx: InTransaction, id: string): Promise<void> {
  const entry = await entryDocument(ctx, id);
  if (!entry?.publishedAt) return removeDocument(ctx, 'content', id);
  const { publishedAt, startsAt } = entry;
  await writeDocument(ctx, {
    kind: 'content',
    subjectId: id,
    slug: entry.slug,
    type: entry.type,
    title: entry.title,
    names: [entry.slug],
    keywords: entry.tags.join(' '),
    body: [entry.summary ?? '', plainText(entry.body)].filter(Boolean).join('\n'),
    visibleFrom: startsAt && startsAt > publishedAt ? startsAt : publishedAt,
    visibleUntil: entry.endsAt,
  });
}

async function writeDocument(ctx: InTransaction, document: SearchDocument): Promise<void> {
  const config = textConfig(ctx.tenant.locale);
  const body = document.body.slice(0, bodyCharactersMax);
  const names = document.names.map((name) => name.toLowerCase());
  const before = await wordsBefore(ctx, document.kind, document.subjectId);
  await ctx.tx.execute(sql`
    insert into search_documents (tenant_id, kind, subject_id, slug, type, title, normalized_title, keywords, body,
      names, vector, visible_from, visible_until)
    values (${ctx.tenant.id}, ${document.kind}, ${document.subjectId}, ${document.slug}, ${document.type},
      ${document.title}, ${normalizeText(document.title)}, ${document.keywords}, ${body}, ${names},
      setweight(to_tsvector(${config}::regconfig, ${document.title}), 'A')
        || setweight(to_tsvector(${config}::regconfig, ${document.keywords}), 'B')
        || setweight(to_tsvector('simple', ${names.join(' ')}), 'B')
        || setweight(to_tsvector(${config}::regconfig, ${body}), 'C'),
      ${document.visibleFrom}, ${document.visibleUntil})
    on conflict (tenant_id, kind, subject_id) do update set
      slug = excluded.slug, type = excluded.type, title = excluded.title, normalized_title = excluded.normalized_title,
      keywords = excluded.keywords, body = excluded.body, names = excluded.names, vector = excluded.vector,
      visible_from = excluded.visible_from, visible_until = excluded.visible_until`);
  const { kind, subjectId: id, title, keywords } = document;
  await indexWords(ctx, before, [title, keywords].join('\n'));
  await requestEmbedding(ctx, { kind, id }, [title, keywords, body].join('\n'));
}

/** The text of the stored document whose words correct misspelled ones; empty if there is none. */
async function wordsBefore(ctx: InTransaction, kind: SearchDocument['kind'], id: string): Promise<string> {
  const [stored] = await ctx.tx.execute<{ text: string }>(sql`
    select title || E'\n' || keywords as text from search_documents
    where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = ${id}`);
  return stored?.text ?? '';
}

async function removeDocument(ctx: InTransaction, kind: SearchDocument['kind'], id: string): Promise<void> {
  await indexWords(ctx, await wordsBefore(ctx, kind, id), '');
  await ctx.tx.execute(sql`
    delete from search_documents where tenant_id = ${ctx.tenant.id} and kind = ${kind} and subject_id = ${id}`);
  await deleteEmbedding(ctx, { kind, id });
}

/** The beginning of a body without markup. */
function plainText({ format, value }: { format: string; value: string }): string {
  const beginning = value.slice(0, bodyCharactersMax);
  if (format === 'html')
    return beginning
      .replace(/<[^<>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  if (format === 'markdown')
    return beginning
      .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
      .replace(/[#*_`>]+/g, '')
      .trim();
  return beginning;
}
