import { read } from '#src/database/transact.ts';
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

/** One page of the published products; those with rare words are found by the search documents. */
export async function listProductsByWords(ctx: Context, filter: ProductFilter): Promise<Page<ProductRow>> {
  return listProducts(ctx, filter, findCandidates);
}

/** One page of the owner's products. What was typed is also looked for in the search documents. */
export async function listManagedProductsByWords(
  ctx: Context,
  filter: Parameters<typeof listManagedProducts>[1],
): Promise<Page<ManagedProduct>> {
  return listManagedProducts(ctx, filter, findCandidates);
}

/**
 * The products whose search documents contain all of the words, those too short for the index aside, or have a SKU that
 * is one of them.
 * @returns `undefined` when no word can be looked up, or too many products contain them
 */
async function findCandidates(ctx: Context, words: readonly string[]): Promise<readonly string[] | undefined> {
  const patterns = words.flatMap((word) => containing(word) ?? []);
  if (patterns.length === 0) return undefined;
  const contained = patterns.map(
    (pattern) => sql`(normalized_title || ' ' || ${lowerCase(sql`body`)}) like ${pattern}`,
  );
  // Without a limit inside, PostgreSQL cannot expect to find enough of a frequent word by reading the table.
  const found = await read<{ id: string }>(
    ctx,
    sql`
    with matching as materialized (
      select subject_id as id from search_documents
      where tenant_id = ${ctx.tenant.id} and kind = 'product'
        and ((${joinSql(contained, ' and ')}) or names && ${words}::text[]))
    select id from matching limit ${candidatesMax + 1}`,
    { replica: true, expensive: true },
  );
  return found.length > candidatesMax ? undefined : found.map(({ id }) => id);
}
