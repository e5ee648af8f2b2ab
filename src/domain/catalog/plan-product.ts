import { isDeepStrictEqual } from 'node:util';
import { newId } from '#src/lib/ids.ts';
import type { FieldValues } from '../change.ts';
import type { StockChange } from './change-stock.ts';
import { completeProduct, type ProductInput, type ProductRecord } from './product-input.ts';
import type { IdentifiedProduct, IdentifiedVariant, SavedProduct, SavedVariant } from './product-rows.ts';

export interface SaveProductOptions {
  /** Also set the stock of existing variants. Otherwise `stock` is only the opening stock of new ones. */
  readonly setStock?: boolean;
  /** Remove the variants that the input does not name. Otherwise they stay as they are. */
  readonly prune?: boolean;
}

/** What saving a product will change. */
export interface ProductPlan extends IdentifiedProduct {
  readonly isNew: boolean;
  /** The values that differ, by field name. */
  readonly values: FieldValues;
  readonly stock: readonly (StockChange & { readonly sku: string; readonly before: number | null })[];
  /** The stored variants that are not removed. */
  readonly live: readonly SavedVariant[];
}

/** Compare an input with the stored product of the same slug, which may be a removed one. */
export function planProduct(
  input: ProductInput,
  found: SavedProduct | undefined,
  options: SaveProductOptions,
): ProductPlan {
  const current = found?.removed ? undefined : found;
  const given = completeProduct(input);
  const live = (current?.variants ?? []).filter(({ removed }) => !removed);
  const unnamed = options.prune ? [] : live.filter(({ sku }) => !given.variants.some((variant) => variant.sku === sku));
  const wanted: ProductRecord = { ...given, variants: [...given.variants, ...unnamed] };
  const variants = wanted.variants.map((variant): IdentifiedVariant => {
    const known = found?.variants.find(({ sku }) => sku === variant.sku);
    return { ...variant, id: known?.id ?? newId('var'), added: !live.some(({ sku }) => sku === variant.sku) };
  });
  return {
    ...wanted,
    variants,
    live,
    slug: input.slug,
    id: found?.id ?? newId('prod'),
    isNew: !current,
    values: current ? differences(current, live, wanted) : {},
    stock: stockToSet(input, variants, found?.variants ?? [], options.setStock ?? false),
  };
}

const plainFields = [
  'name',
  'description',
  'category',
  'tags',
  'status',
  'images',
  'purchase_types',
  'subscription_intervals',
] as const satisfies (keyof ProductRecord)[];

const variantFields = [
  'name',
  'options',
  'price_cents',
  'compare_at_cents',
  'subscription_price_cents',
  'weight_oz',
  'ships',
  'low_stock_at',
  'backorder',
] as const satisfies (keyof SavedVariant)[];

/** The differing fields: `name`, `variants.BOWL-S.price_cents`, or `variants.BOWL-L` for a variant added or removed. */
function differences(current: SavedProduct, live: readonly SavedVariant[], wanted: ProductRecord): FieldValues {
  const before = new Map(live.map((variant) => [variant.sku, variant]));
  const after = new Map(wanted.variants.map((variant) => [variant.sku, variant]));
  const gone = live
    .filter(({ sku }) => !after.has(sku))
    .map((variant) => [`variants.${variant.sku}`, [variant.name, null]] as const);
  const changed = wanted.variants.flatMap((variant): [string, readonly [unknown, unknown]][] => {
    const known = before.get(variant.sku);
    if (!known) return [[`variants.${variant.sku}`, [null, variant.name]]];
    return variantFields
      .filter((field) => !isDeepStrictEqual(known[field], variant[field]))
      .map((field) => [`variants.${variant.sku}.${field}`, [known[field], variant[field]]]);
  });
  const plain = plainFields
    .filter((field) => !isDeepStrictEqual(current[field], wanted[field]))
    .map((field) => [field, [current[field], wanted[field]]] as const);
  const values: FieldValues = Object.fromEntries([...plain, ...gone, ...changed]);
  const order = [[...before.keys()], [...after.keys()]] as const;
  const isReordered = Object.keys(values).length === 0 && !isDeepStrictEqual(order[0], order[1]);
  return isReordered ? { variants: order } : values;
}

/** A new variant gets its opening stock; the stock of an existing one is set only with `setStock`. */
function stockToSet(
  input: ProductInput,
  variants: readonly IdentifiedVariant[],
  known: readonly SavedVariant[],
  setStock: boolean,
): (StockChange & { sku: string; before: number | null })[] {
  return variants.flatMap(({ id, sku, added }) => {
    const { stock } = input.variants.find((variant) => variant.sku === sku) ?? {};
    const before = known.find((variant) => variant.sku === sku)?.stock ?? null;
    const isGiven = added || (setStock && stock !== undefined);
    return isGiven && (stock ?? null) !== before ? [{ variantId: id, sku, before, quantity: stock ?? null }] : [];
  });
}
