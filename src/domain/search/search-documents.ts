import { type Keyset, keyset, type Page, type Position } from '#src/lib/cursor.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type ProductRow, publishedProducts } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { read, transact } from '../database.ts';
import { findAlike } from './find-alike.ts';
import { recordMiss } from './misses.ts';
import { rankByMeaning, rankBySpelling, rankByText, readTyped, spellingMin, type Typed } from './rank-documents.ts';

export interface SearchRequest {
  readonly q: string;
  readonly type?: 'product' | 'content' | 'all' | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface SearchResult {
  readonly kind: 'product' | 'content';
  readonly id: string;
  readonly slug: string;
  /** The type of an entry. */
  readonly entryType: string | null;
  readonly title: string;
  readonly snippet: string;
  /** From 0 to 1; 1 is what was named by its slug or SKU. */
  readonly score: number;
  readonly product: ProductRow | null;
}

export interface SearchPage extends Page<SearchResult> {
  /** `semantic`: by what is meant and what is written; `text`: by what is written alone. */
  readonly mode: 'semantic' | 'text';
  /** It would have gone by meaning, had the embedder answered in time. */
  readonly degraded: boolean;
}

/**
 * Find products and content, best first: what was named by its slug or SKU, then what holds the words, is spelled
 * alike or, where an embedder is configured, means the same. Where there is none of that, what is spelled a little like
 * it; and what is found nowhere is remembered.
 */
export async function searchDocuments(ctx: Context, request: SearchRequest): Promise<SearchPage> {
  const { type = 'all', cursor, limit = 20 } = request;
  const typed = readTyped(ctx, request.q, type === 'all' ? ['product', 'content'] : [type]);
  const isSemantic = ctx.ports.embedder !== undefined && !(cursor !== undefined && isOfText(ctx, typed, type, cursor));
  const alike = isSemantic ? await findAlike(ctx, typed.text, typed.kinds) : undefined;
  const mode = alike ? 'semantic' : 'text';

  // Pages of one search are of one list: without the embedder, one that began by meaning begins anew by text.
  const list = listOf(ctx, mode, typed, type, isSemantic && !alike ? undefined : cursor);
  const ranked = alike ? rankByMeaning(ctx, typed, alike) : rankByText(ctx, typed);
  const found = list.page(await readPage(ctx, typed, ranked, list, limit + 1), limit);
  const isMiss = found.rows.length === 0 && cursor === undefined;
  const page = isMiss ? list.page(await readSpelled(ctx, typed, list, limit), limit) : found;
  if (page.rows.length === 0 && isMiss) await recordMiss(ctx, typed.text);
  return {
    // A product that was taken down a moment ago may still have its document.
    rows: page.rows.filter(({ kind, product }) => kind === 'content' || product !== null),
    cursor: page.cursor,
    mode,
    degraded: mode === 'text' && ctx.ports.embedder !== undefined,
  };
}

function listOf(ctx: Context, mode: SearchPage['mode'], { text }: Typed, type: string, cursor: string | undefined): Keyset {
  return keyset(ctx, `search ${mode} ${type} ${text}`, { columns: ['r.score', 'r.subject_id'], descending: true }, cursor);
}

/** Whether a cursor goes on with a list that was made by text. */
function isOfText(ctx: Context, typed: Typed, type: string, cursor: string): boolean {
  try {
    listOf(ctx, 'text', typed, type, cursor);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

/** Ask more leniently, which is a setting: for the rare search that finds nothing, a transaction is soon enough. */
async function readSpelled(ctx: Context, typed: Typed, list: Keyset, limit: number): Promise<(SearchResult & { position: Position })[]> {
  return transact(ctx, async (ctx) => {
    await ctx.tx.run(sql`select set_config('pg_trgm.word_similarity_threshold', ${String(spellingMin)}, true)`);
    return readPage(ctx, typed, rankBySpelling(ctx, typed), list, limit);
  });
}

/** A text this short is its own snippet. */
const snippetWholeUpTo = 200;

/** A plain text: search words are not marked in it. */
const headline = 'MaxFragments=1, MinWords=8, MaxWords=30, StartSel="", StopSel=""';

/**
 * @param candidates common table expressions, the last of them `candidates`: documents with their score
 * @param count how many rows: one more than the page, where another may follow it
 */
async function readPage(
  ctx: Context, { config, words }: Typed, candidates: Sql, list: Keyset, count: number,
): Promise<(SearchResult & { position: Position })[]> {
  return read(ctx, sql`
    with ${candidates},
    page as (
      select r.*, ${list.position} as position from candidates r where ${list.after} order by ${list.by} limit ${count})
    select r.kind, r.subject_id as id, r.slug, r.type as "entryType", r.title, r.score::float8, r.position,
      to_jsonb(product) as product,
      case when length(r.body) <= ${snippetWholeUpTo} then r.body
        else ts_headline(${config}, left(r.body, 5000), ${words}, ${headline}) end as snippet
    from page r left join lateral (${publishedProducts(ctx)} and r.kind = 'product' and p.id = r.subject_id) as product on true
    order by ${list.by}`, { replica: true });
}
