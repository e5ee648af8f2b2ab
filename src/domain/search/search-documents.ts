import { read, readOne } from '#src/database/transact.ts';
import { composed } from '#src/lib/composed.ts';
import { type Keyset, keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type ProductRow, publishedProducts } from '../catalog/index.ts';
import { isEntryShown } from '../content/index.ts';
import type { Context } from '../context.ts';
import { findSimilar } from './find-similar.ts';
import { guessWords } from './guess-words.ts';
import { rankByMeaning, rankByText, snippet, type Typed } from './rank-documents.ts';
import { recordZeroResultSearch } from './zero-result-searches.ts';

export interface SearchRequest extends PageRequest {
  readonly q: string;
  readonly type?: 'product' | 'content' | 'all' | undefined;
}

export interface SearchResult {
  readonly kind: 'product' | 'content';
  readonly id: string;
  readonly slug: string;
  /** The type of an entry. */
  readonly entryType: string | null;
  readonly title: string;
  readonly snippet: string;
  /** From 0 to 1; 1 is a document whose slug or SKU was typed. */
  readonly score: number;
  readonly product: ProductRow | null;
}

export interface SearchPage extends Page<SearchResult> {
  /** `semantic`: ranked by meaning and text; `text`: ranked by text alone. */
  readonly mode: 'semantic' | 'text';
  /** Whether the embedder failed or was too slow, so that the search used text alone. */
  readonly degraded: boolean;
}

/**
 * Find products and content, best first: the document whose slug or SKU was typed, then documents that contain the
 * words or, where an embedder is configured, have a similar meaning. Without any, the corrected words are searched. A
 * search without results is recorded, unless it may be an email.
 * @throws DomainError `invalid_cursor`
 */
export async function searchDocuments(ctx: Context, request: SearchRequest): Promise<SearchPage> {
  const { type = 'all', cursor, limit = 20 } = request;
  const text = composed(request.q).trim();
  const kinds = type === 'all' ? ['product', 'content'] : [type];
  const hasMeaning = ctx.ports.embedder !== undefined && !(await isName(ctx, text));
  const isSemantic = hasMeaning && !(cursor !== undefined && isOfText(ctx, text, type, cursor));
  // Before the embedder is called, which may fail: a cursor of neither list is rejected in any case.
  if (isSemantic) listOf(ctx, 'semantic', text, type, cursor);
  const [guess, similar] = await Promise.all([
    guessWords(ctx, text),
    isSemantic ? findSimilar(ctx, text, kinds) : undefined,
  ]);
  const mode = similar ? 'semantic' : 'text';

  // All pages of a search must be of one list. When the embedder fails on a later page, the list starts again by text.
  const list = listOf(ctx, mode, text, type, isSemantic && !similar ? undefined : cursor);
  const typed: Typed = { text, kinds, guess };
  const ranked = similar ? rankByMeaning(ctx, typed, similar) : rankByText(ctx, typed);
  const page = list.page(await readRanked(ctx, ranked, list, limit + 1), limit);
  if (page.rows.length === 0 && cursor === undefined) await recordZeroResultSearch(ctx, text);
  return {
    // What was just unpublished may still have its document.
    rows: page.rows.filter(({ isShownEntry, product }) => isShownEntry || product !== null),
    cursor: page.cursor,
    mode,
    degraded: hasMeaning && !similar,
  };
}

function listOf(
  ctx: Context,
  mode: SearchPage['mode'],
  text: string,
  type: string,
  cursor: string | undefined,
): Keyset {
  return keyset(
    ctx,
    `search ${mode} ${type} ${text}`,
    { columns: ['r.score', 'r.subject_id'], descending: true },
    cursor,
  );
}

/** Whether a cursor belongs to a list that was ranked by text. */
function isOfText(ctx: Context, text: string, type: string, cursor: string): boolean {
  try {
    listOf(ctx, 'text', text, type, cursor);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

/**
 * Read one page with its products, and whether its entries are shown. `offset 0` makes PostgreSQL look up a product only
 * for each row of the page: without it, a planner that has no statistics of a new store reads all products and discards
 * most of them.
 *
 * @param candidates common table expressions, the last one `candidates`: documents with their scores
 * @param count the number of rows: one more than the page, to see whether another page follows
 */
async function readRanked(
  ctx: Context,
  candidates: Sql,
  list: Keyset,
  count: number,
): Promise<(SearchResult & { position: Position; isShownEntry: boolean })[]> {
  return read(
    ctx,
    sql`
    with ${candidates},
    page as (
      select r.*, ${list.position} as position from candidates r where ${list.after} order by ${list.by} limit ${count})
    select d.kind, d.subject_id as id, d.slug, d.type as "entryType", d.title, r.score::float8, r.position,
      to_jsonb(product) as product,
      r.kind = 'content' and ${isEntryShown(ctx, sql`r.subject_id`)} as "isShownEntry",
      ${snippet(ctx)} as snippet
    from page r
    join lateral (
      select * from search_documents d
      where d.tenant_id = ${ctx.tenant.id} and d.kind = r.kind and d.subject_id = r.subject_id offset 0) as d on true
    left join lateral (
      ${publishedProducts(ctx)} and r.kind = 'product' and p.id = r.subject_id offset 0) as product on true
    order by ${list.by}`,
    { replica: true, expensive: true },
  );
}

/** One word with a digit and a separator, such as BWL-101: always a name. */
const namePattern = /^(?=\S*\d)(?=\S*[-_./])\S+$/;

/** One word with either: a name if a document has it, such as oak-bowl, otherwise a word, such as t-shirt. */
const likeNamePattern = /^(?=\S*[\d\-_./])\S+$/;

/** Whether a slug or a SKU was typed, so that a search by meaning is pointless. */
async function isName(ctx: Context, text: string): Promise<boolean> {
  if (namePattern.test(text)) return true;
  if (!likeNamePattern.test(text)) return false;
  const named = await readOne(
    ctx,
    sql`
    select 1 from search_documents
    where tenant_id = ${ctx.tenant.id} and names @> array[${text.toLowerCase()}::text] limit 1`,
    { replica: true },
  );
  return named !== undefined;
}
