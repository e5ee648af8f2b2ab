import { readOne } from '#src/database/transact.ts';
import type { Page } from '#src/lib/cursor.ts';
import { allOf, joinSql, lowerCase, type Sql, sql } from '#src/lib/sql.ts';
import {
  listManagedProducts,
  listProducts,
  type ManagedProduct,
  type ProductFilter,
  type ProductRow,
  type TypedWord,
} from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { containing, unspacedPattern } from './vocabulary.ts';

/** More products than this are not sorted for one page. */
const candidatesMax = 1000;
/** Documents that are read at most, by an index of words or newest first. */
const readMax = 10_000;
/** Words that so many of the newest `candidatesMax` products have are frequent, and the others are read in their order. */
const frequentFrom = 100;

/**
 * One page of the published products; those with rare words are found by the search documents. That words are not rare
 * is seen in the newest ones: an index reads all that have them.
 */
export async function listProductsByWords(ctx: Context, filter: ProductFilter): Promise<Page<ProductRow>> {
  return listProducts(ctx, filter, async (ctx, words) => {
    const candidates = candidatesOf(ctx, words);
    if (!candidates) return undefined;
    const { matching, amongNewest, documentsMax } = candidates;
    const found = await readIds(
      ctx,
      sql`
      newest as materialized (${amongNewest(candidatesMax)}),
      frequent as materialized (
        ${amongNewest(readMax + 1)} and (select count(*) from newest) >= ${frequentFrom} limit ${documentsMax + 1}),
      ${matching},
      found as materialized (
        select * from frequent
        union
        (select * from matching where (select count(*) from frequent) <= ${documentsMax} limit ${documentsMax + 1}))`,
    );
    return found.read <= documentsMax && found.ids.length <= candidatesMax ? found.ids : undefined;
  });
}

/**
 * One page of the owner's products. What was typed is also looked for in the search documents; of very many that
 * contain it, the newest thousand are listed, or those among the newest ten thousand.
 */
export async function listManagedProductsByWords(
  ctx: Context,
  filter: Parameters<typeof listManagedProducts>[1],
): Promise<Page<ManagedProduct>> {
  return listManagedProducts(ctx, filter, async (ctx, words) => {
    const candidates = candidatesOf(ctx, words);
    if (!candidates) return words.every(isWhole) ? newestTitled(ctx, words) : [];
    const { matching, amongNewest, documentsMax } = candidates;
    const { ids } = await readIds(
      ctx,
      sql`
      newest as materialized (${amongNewest(candidatesMax)}),
      ${matching},
      found as materialized (
        select * from newest
        union
        (select * from matching where (select count(*) from newest) < ${frequentFrom} limit ${readMax})
        union
        (${amongNewest(readMax)} and (select count(*) from newest) >= ${frequentFrom} limit ${documentsMax + 1}))`,
    );
    return ids;
  });
}

/** Whether a short text is a word, rather than its beginning: its vowels are marks, or its language has no spaces. */
const isWhole = ({ plain, written }: TypedWord): boolean =>
  unspacedPattern.test(plain) || written.length > plain.length;

/** Of the newest products, those with words in their titles that the index does not have. */
async function newestTitled(ctx: Context, words: readonly TypedWord[]): Promise<readonly string[]> {
  const fits = words.map(({ plain }) => sql`strpos(normalized_title, ${plain}) > 0`);
  const { ids } = await readIds(
    ctx,
    sql`
    found as (
      select subject_id as id, ${allOf(...fits)} as fits from search_documents
      where tenant_id = ${ctx.tenant.id} and kind = 'product' order by subject_id desc limit ${candidatesMax})`,
  );
  return ids;
}

interface Candidates {
  /**
   * A common table expression with all search documents that match, for which the indexes are read: the product's `id`,
   * and whether it `fits`.
   */
  readonly matching: Sql;
  /** A query for those of them that are among so many of the newest. Conditions may be appended. */
  readonly amongNewest: (documents: number) => Sql;
  /** How many of them are read at most. */
  readonly documentsMax: number;
}

/**
 * How products are found whose search documents contain all of the words, one of which the index has, or with a SKU
 * that is one; `undefined` where the index has none of the words.
 */
function candidatesOf({ tenant }: Context, words: readonly TypedWord[]): Candidates | undefined {
  const spellings = words.map(({ plain, written }) => [...new Set([plain, written])]);
  const [indexed = [], short = []] = [true, false].map((isIndexed) =>
    spellings.filter((word) => word.every((spelling) => containing(spelling) !== undefined) === isIndexed),
  );
  if (indexed.length === 0) return undefined;
  const text = sql`(normalized_title || ' ' || ${lowerCase(sql`body`)})`;
  const hasAll = (of: readonly string[][], has: (spelling: string) => Sql) =>
    joinSql(
      of.map((word) => sql`(${joinSql(word.map(has), ' or ')})`),
      ' and ',
    );
  const contained = hasAll(indexed, (spelling) => sql`${text} like ${containing(spelling)}`);
  const isNamed = sql`names && ${spellings.flat()}::text[]`;
  const isMatching = sql`(${contained} or ${isNamed})`;
  const fits = short.length === 0 ? sql`true` : hasAll(short, (spelling) => sql`strpos(${text}, ${spelling}) > 0`);
  const columns = sql`subject_id as id, (${isNamed} or ${fits}) as fits`;
  return {
    // Without a limit inside, PostgreSQL cannot expect to find enough of a frequent word by reading the table.
    matching: sql`matching as materialized (
      select ${columns} from search_documents where tenant_id = ${tenant.id} and kind = 'product' and ${isMatching})`,
    amongNewest: (documents) => sql`
      select ${columns} from (
        select * from search_documents where tenant_id = ${tenant.id} and kind = 'product'
        order by subject_id desc limit ${documents}) as d
      where ${isMatching}`,
    // Those with a short word are among many that are read for it.
    documentsMax: short.length > 0 ? readMax : candidatesMax,
  };
}

/** The newest products of `found`, and how many documents were read for them. */
async function readIds(ctx: Context, expressions: Sql): Promise<{ ids: readonly string[]; read: number }> {
  const row = await readOne<{ ids: string[]; read: number }>(
    ctx,
    sql`
    with ${expressions}
    select (select count(*)::int from found) as read,
      array(select id from found where fits order by id desc limit ${candidatesMax + 1}) as ids`,
    { replica: true, expensive: true },
  );
  return row ?? { ids: [], read: 0 };
}
