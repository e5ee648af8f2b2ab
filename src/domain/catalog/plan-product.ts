import { isDeepStrictEqual } from 'node:util';
import { newId } from '#src/lib/ids.ts';
import type { FieldValues } from '../change.ts';
import type { StockChange } from './change-stock.ts';
import { completeProduct, type ProductInput, type ProductRecord } from './product-input.ts';
import type { IdentifiedProduct, IdentifiedVariant, SavedProduct, SavedVariant } from './product-rows.ts';

export interface SaveProductOptions {
  /** Also set the stock of variants that exist already. Without it `stock` is an opening value. */
  readonly setStock?: boolean;
  /** Remove the variants that the input does not name. Without it they stay as they are. */
  readonly prune?: boolean;
}

/** What saving a product comes to. */
export interface ProductPlan extends IdentifiedProduct {
  readonly isNew: boolean;
  /** What differs, by its name. */
  readonly values: FieldValues;
  readonly stock: readonly (StockChange & { readonly sku: string; readonly before: number | null })[];
  /** What is sold of it at present. */
  readonly live: readonly SavedVariant[];
}

/** Hold an input against the product that was found under its slug, removed ones included. */
export function planProduct(
  input: ProductInput,
  found: SavedProduct | undefined,
  options: SaveProductOptions,
): ProductPlan {
  const current = found?.removed ? undefined : found;
  const given = completeProduct(input);
  const live = (current?.variants ?? []).filter(({ removed }) => !removed);
  const kept = options.prune ? [] : live.filter(({ sku }) => !given.variants.some((variant) => variant.sku === sku));
  const wanted: ProductRecord = { ...given, variants: [...given.variants, ...kept] };
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

/** What differs: `name`, `variants.BOWL-S.price_cents`, `variants.BOWL-L` where it comes or goes. */
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

/** A variant that is new on the shelf opens with its stock; of others it is set only on demand. */
function stockToSet(
  input: ProductInput,
  variants: readonly IdentifiedVariant[],
  known: readonly SavedVariant[],
  setStock: boolean,
): (StockChange & { sku: string; before: number | null })[] {
  return variants.flatMap(({ id, sku, added }) => {
    const { stock } = input.variants.find((variant) => variant.sku === sku) ?? {};
    const before = known.find((variant) => variant.sku === sku)?.stock ?? null;
    const isSaid = added || (setStock && stock !== undefined);
    return isSaid && (stock ?? null) !== before ? [{ variantId: id, sku, before, quantity: stock ?? null }] : [];
  });
}
