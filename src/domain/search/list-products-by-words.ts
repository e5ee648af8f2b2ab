import { readOne } from '#src/database/transact.ts';
import type { Page } from '#src/lib/cursor.ts';
import { joinSql, lowerCase, sql } from '#src/lib/sql.ts';
import {
  listManagedProducts,
  listProducts,
  type ManagedProduct,
  type ProductFilter,
  type ProductRow,
} from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { containing } from './vocabulary.ts';

/** More products than this are not sorted for one page. */
const candidatesMax = 1000;
/** Documents that are read at most to look in them for words that are too short for the index. */
const readMax = 10_000;

/** One page of the published products; those with rare words are found by the search documents. */
export async function listProductsByWords(ctx: Context, filter: ProductFilter): Promise<Page<ProductRow>> {
  return listProducts(ctx, filter, async (ctx, words) => {
    const { ids, areAll } = await findCandidates(ctx, words);
    return areAll ? ids : undefined;
  });
}

/**
 * One page of the owner's products. What was typed is also looked for in the search documents; of very many that
 * contain it, the newest thousand are listed.
 */
export async function listManagedProductsByWords(
  ctx: Context,
  filter: Parameters<typeof listManagedProducts>[1],
): Promise<Page<ManagedProduct>> {
  return listManagedProducts(ctx, filter, async (ctx, words) => (await findCandidates(ctx, words)).ids);
}

interface Candidates {
  readonly ids: readonly string[];
  /** Whether no other product can be meant. */
  readonly areAll: boolean;
}

/** Products whose search documents contain all of the words, one of which the index has, or with a SKU that is one. */
async function findCandidates(ctx: Context, words: readonly string[]): Promise<Candidates> {
  const patterns = words.flatMap((word) => containing(word) ?? []);
  if (patterns.length === 0) return { ids: [], areAll: false };
  const text = sql`(normalized_title || ' ' || ${lowerCase(sql`body`)})`;
  const short = words.filter((word) => containing(word) === undefined);
  const documentsMax = short.length > 0 ? readMax : candidatesMax;
  const contained = joinSql(
    patterns.map((pattern) => sql`${text} like ${pattern}`),
    ' and ',
  );
  const isNamed = sql`names && ${words}::text[]`;
  // Without a limit inside, PostgreSQL cannot expect to find enough of a frequent word by reading the table.
  const found = await readOne<{ ids: string[]; read: number }>(
    ctx,
    sql`
    with matching as materialized (
      select subject_id as id, ${isNamed} or not exists (
        select from unnest(${short}::text[]) as word where strpos(${text}, word) = 0) as fits
      from search_documents
      where tenant_id = ${ctx.tenant.id} and kind = 'product' and (${contained} or ${isNamed})
      order by subject_id desc limit ${documentsMax + 1})
    select (select count(*)::int from matching) as read,
      array(select id from matching where fits limit ${candidatesMax + 1}) as ids`,
    { replica: true, expensive: true },
  );
  const { ids = [], read = 0 } = found ?? {};
  return { ids, areAll: read <= documentsMax && ids.length <= candidatesMax };
}
