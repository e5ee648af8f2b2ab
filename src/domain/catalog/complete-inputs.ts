import { invalidRequest } from '#src/lib/errors.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { fits, issuesOf } from '#src/lib/validation.ts';
import type { InTransaction } from '../context.ts';
import { ProductInput, VariantInput, Variants } from './product-input.ts';
import { lockProducts, type SavedProduct } from './product-rows.ts';

const VariantPatch = Type.Object({
  ...Type.Partial(VariantInput).properties,
  sku: VariantInput.properties.sku,
});

/** A product of which only some fields are given. */
export const ProductPatch = Type.Object({
  ...Type.Partial(ProductInput).properties,
  slug: ProductInput.properties.slug,
  variants: Type.Optional(Variants(VariantPatch)),
});
export type ProductPatch = Static<typeof ProductPatch>;

type WithSku = Pick<VariantInput, 'sku'>;

/** What saving a patch means: the whole product, and whether it is a new one. */
interface CompletedPatch {
  /** Still to be validated. */
  readonly input: Record<string, unknown>;
  readonly isNew: boolean;
}

/**
 * Fill in what patches leave out: of products and variants that exist, with what is stored. The slugs are locked until
 * the transaction ends. Variants that a patch does not name stay where they are; one that names all sets their order.
 */
export async function completeInputs(ctx: InTransaction, patches: readonly ProductPatch[]): Promise<CompletedPatch[]> {
  const found = await lockProducts(
    ctx,
    patches.map(({ slug }) => slug),
  );
  return patches.map((patch) => {
    const known = found.get(patch.slug);
    return known && !known.removed
      ? { input: completePatch(patch, known), isNew: false }
      : { input: patch, isNew: true };
  });
}

/** @throws DomainError `invalid_request` */
export function validProduct(input: Record<string, unknown>): ProductInput {
  if (fits(ProductInput, input)) return input;
  throw invalidRequest('The product is not valid.', ...issuesOf(ProductInput, input));
}

/**
 * The whole of a product that exists, with what the patch changes. Still to be validated.
 * @throws DomainError `invalid_request` for a SKU of the product that a spreadsheet has written without its zeros
 */
export function completePatch(
  patch: ProductPatch,
  { id: _id, removed: _removed, ...known }: SavedProduct,
): Record<string, unknown> {
  const stored = known.variants
    .filter(({ removed }) => !removed)
    .map(({ id: _id, removed: _removed, stock: _stock, ...variant }) => variant);
  const given = (patch.variants ?? []).map((variant) => ({
    ...stored.find(({ sku }) => sku === variant.sku),
    ...variant,
  }));
  const isWhole = stored.every(({ sku }) => given.some((variant) => variant.sku === sku));
  const added = given.filter(({ sku }) => !stored.some((variant) => variant.sku === sku));
  checkZeros(
    given,
    stored.filter(({ sku }) => !given.some((variant) => variant.sku === sku)),
  );
  const merged = [...stored.map((variant) => given.find(({ sku }) => sku === variant.sku) ?? variant), ...added];
  return { ...known, ...patch, variants: isWhole ? given : merged };
}

/** As another variant it would be sold beside the one that is meant, from stock of its own. */
function checkZeros(given: readonly WithSku[], missing: readonly WithSku[]): void {
  const issues = given.flatMap(({ sku }, index) => {
    const meant = missing.find((variant) => /^\d+$/.test(variant.sku) && String(BigInt(variant.sku)) === sku);
    const detail = `must be ${meant?.sku}, as the product has it: format the column as text in the spreadsheet`;
    return meant ? [{ path: `/variants/${index}/sku`, code: 'lost_zeros', detail }] : [];
  });
  if (issues.length > 0) throw invalidRequest('A SKU lacks its zeros.', ...issues);
}
