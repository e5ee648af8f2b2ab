import { keyset, type Page, type Position } from '#src/lib/cursor.ts';
import { sql } from '#src/lib/sql.ts';
import { fold, type ProductRow, publishedProducts } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { read } from '../database.ts';
import { textConfig } from './text-config.ts';

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

/** A text this short is its own snippet. */
const snippetWholeUpTo = 200;

/** A plain text: search words are not marked in it. */
const headline = 'MaxFragments=1, MinWords=8, MaxWords=30, StartSel="", StopSel=""';

/**
 * Find products and content by text, best first, with one statement: what was named by its slug or SKU, then what
 * holds the words (a title weighs more than a body) or has a title that is spelled alike.
 */
export async function searchDocuments(
  ctx: Context,
  { q, type = 'all', cursor, limit = 20 }: SearchRequest,
): Promise<Page<SearchResult>> {
  const typed = q.trim();
  const config = sql`${textConfig(ctx.tenant.locale)}::regconfig`;
  const words = sql`websearch_to_tsquery(${config}, ${typed})`;
  const spelled = sql`${fold(typed)}::text`;
  const name = sql`${typed.toLowerCase()}::text`;
  const kinds = type === 'all' ? ['product', 'content'] : [type];
  const now = ctx.clock.now();
  const list = keyset(ctx, `search ${type} ${typed}`, { columns: ['r.score', 'r.subject_id'], descending: true }, cursor);
  const rows = await read<SearchResult & { position: Position }>(ctx, sql`
    with candidates as (
      select d.*, round((case when ${name} = any(d.names) then 1
          else 0.5 * ts_rank(d.vector, ${words}, 32) + 0.49 * word_similarity(${spelled}, d.folded_title)
          end)::numeric, 6) as score
      from search_documents d
      where d.tenant_id = ${ctx.tenant.id} and d.kind = any(${kinds}::text[])
        and (d.visible_from is null or d.visible_from <= ${now}) and (d.visible_until is null or d.visible_until > ${now})
        and (d.vector @@ ${words} or ${spelled} <% d.folded_title or d.names @> array[${name}])),
    page as (
      select r.*, ${list.position} as position from candidates r where ${list.after} order by ${list.by} limit ${limit + 1})
    select r.kind, r.subject_id as id, r.slug, r.type as "entryType", r.title, r.score::float8, r.position,
      to_jsonb(product) as product,
      case when length(r.body) <= ${snippetWholeUpTo} then r.body
        else ts_headline(${config}, left(r.body, 5000), ${words}, ${headline}) end as snippet
    from page r left join lateral (${publishedProducts(ctx)} and r.kind = 'product' and p.id = r.subject_id) as product on true
    order by ${list.by}`, { replica: true });
  const page = list.page(rows, limit);
  // A product that was taken down a moment ago may still have its document.
  return { rows: page.rows.filter(({ kind, product }) => kind === 'content' || product !== null), cursor: page.cursor };
}
