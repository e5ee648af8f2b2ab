import { read, readOne } from '#src/database/transact.ts';
import { type Keyset, keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type ProductRow, publishedProducts } from '../catalog/index.ts';
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
 * Find products and content, best first: what was named by its slug or SKU, then what holds the words or, where an
 * embedder is configured, means the same. Where nothing holds them, what was probably meant by them; and what is found
 * nowhere is remembered.
 */
export async function searchDocuments(ctx: Context, request: SearchRequest): Promise<SearchPage> {
  const { type = 'all', cursor, limit = 20 } = request;
  const text = request.q.trim();
  const kinds = type === 'all' ? ['product', 'content'] : [type];
  const hasMeaning = ctx.ports.embedder !== undefined && !(await isName(ctx, text));
  const isSemantic = hasMeaning && !(cursor !== undefined && isOfText(ctx, text, type, cursor));
  const [guess, alike] = await Promise.all([
    guessWords(ctx, text),
    isSemantic ? findSimilar(ctx, text, kinds) : undefined,
  ]);
  const mode = alike ? 'semantic' : 'text';

  // Pages of one search are of one list: without the embedder, one that began by meaning begins anew by text.
  const list = listOf(ctx, mode, text, type, isSemantic && !alike ? undefined : cursor);
  const typed: Typed = { text, kinds, guess };
  const ranked = alike ? rankByMeaning(ctx, typed, alike) : rankByText(ctx, typed);
  const page = list.page(await readPage(ctx, ranked, list, limit + 1), limit);
  if (page.rows.length === 0 && cursor === undefined) await recordZeroResultSearch(ctx, text);
  return {
    // A product that was taken down a moment ago may still have its document.
    rows: page.rows.filter(({ kind, product }) => kind === 'content' || product !== null),
    cursor: page.cursor,
    mode,
    degraded: hasMeaning && !alike,
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

/** Whether a cursor goes on with a list that was made by text. */
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
 * `offset 0` has a product looked up for each row of the page alone: a planner that has not counted a store which was
 * just filled would make them all, and throw away what is not on it.
 *
 * @param candidates common table expressions, the last of them `candidates`: documents with their score
 * @param count how many rows: one more than the page, where another may follow it
 */
async function readPage(
  ctx: Context,
  candidates: Sql,
  list: Keyset,
  count: number,
): Promise<(SearchResult & { position: Position })[]> {
  return read(
    ctx,
    sql`
    with ${candidates},
    page as (
      select r.*, ${list.position} as position from candidates r where ${list.after} order by ${list.by} limit ${count})
    select d.kind, d.subject_id as id, d.slug, d.type as "entryType", d.title, r.score::float8, r.position,
      to_jsonb(product) as product,
      ${snippet(ctx)} as snippet
    from page r
    join lateral (
      select * from search_documents d where d.tenant_id = ${ctx.tenant.id} and d.kind = r.kind and d.subject_id = r.subject_id offset 0) as d on true
    left join lateral (${publishedProducts(ctx)} and r.kind = 'product' and p.id = r.subject_id offset 0) as product on true
    order by ${list.by}`,
    { replica: true },
  );
}

/** One word with a number and a sign in it, such as BWL-101: nobody asks for a meaning that way. */
const namePattern = /^(?=\S*\d)(?=\S*[-_./])\S+$/;

/** One word with either: a name if something in the store has it, such as oak-bowl, and else a word, such as t-shirt. */
const likeNamePattern = /^(?=\S*[\d\-_./])\S+$/;

/** Whether a slug or a SKU was typed, which means one thing and need not be asked for by meaning. */
async function isName(ctx: Context, text: string): Promise<boolean> {
  if (namePattern.test(text)) return true;
  if (!likeNamePattern.test(text)) return false;
  const named = await readOne(
    ctx,
    sql`
    select 1 from search_documents where tenant_id = ${ctx.tenant.id} and names @> array[${text.toLowerCase()}::text] limit 1`,
    { replica: true },
  );
  return named !== undefined;
}
