import { read } from '#src/database/transact.ts';
import { keyset, type ListOrder, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normalizeText } from './product-record.ts';
import { type ProductRow, publishedProducts } from './published-products.ts';

const orders = {
  newest: { columns: ['p.id'], descending: true },
  price_asc: { columns: ['p.price_cents', 'p.id'] },
  price_desc: { columns: ['p.price_cents', 'p.id'], descending: true },
  name: { columns: ['p.sort_name', 'p.id'] },
} as const satisfies Record<string, ListOrder>;

export type ProductSort = keyof typeof orders;

export interface ProductFilter extends PageRequest {
  /** Words that name, description or SKU must all hold. */
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  readonly tag?: string | undefined;
  readonly sort?: ProductSort | undefined;
}

/** One page of the published products. Ids are made in the order of time, so the newest is the one with the last id. */
export async function listProducts(ctx: Context, filter: ProductFilter): Promise<Page<ProductRow>> {
  const { sort = 'newest', limit = 20 } = filter;
  const list = keyset(ctx, `products ${sort}`, orders[sort], filter.cursor);
  const rows = await read<ProductRow & { position: Position }>(
    ctx,
    sql`
    ${publishedProducts(ctx, sql`, ${list.position} as position`)}
      and ${list.after}${conditions(filter)}
    order by ${list.by} limit ${limit + 1}`,
    { brief: filter.q === undefined },
  );
  return list.page(rows, limit);
}

function conditions({ q, category, tag }: ProductFilter): Sql {
  const words = q ? normalizeText(q).split(/\s+/).filter(Boolean).slice(0, wordsMax) : [];
  const inCategory = category === undefined ? sql`` : sql` and p.category = ${category}`;
  const tagged =
    tag === undefined
      ? sql``
      : sql`
      and exists (select from product_tags t where t.tenant_id = p.tenant_id and t.product_id = p.id and t.tag = ${tag})`;
  const named =
    words.length === 0
      ? sql``
      : sql`
      and not exists (
        select from unnest(${words}::text[]) as word
        where strpos(p.sort_name, word) = 0 and strpos(lower(p.description), word) = 0
          and not exists (select from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id
                            and case when v.removed_at is null then lower(v.sku) = word end))`;
  return sql`${inCategory}${tagged}${named}`;
}

const wordsMax = 8;
