import { isDeepStrictEqual } from 'node:util';
import { invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { FieldValues } from '../change.ts';
import type { StockChange } from './change-stock.ts';
import { completeProduct, type ProductInput, type ProductRecord, rejectSku } from './product-input.ts';
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
  /** Whether it sells a variant again that was removed. */
  readonly isRestored: boolean;
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
  const stored = found?.variants ?? [];
  const live = (current?.variants ?? []).filter(({ removed }) => !removed);
  const given = completeProduct(input);
  const named = identify(input, given, live, stored);
  const unnamed = options.prune ? [] : live.filter(({ id }) => !named.some((variant) => variant.id === id));
  const wanted = { ...given, variants: [...named, ...unnamed.map((variant) => ({ ...variant, added: false }))] };
  return {
    ...wanted,
    live,
    slug: input.slug,
    id: found?.id ?? newId('prod'),
    isNew: !current,
    isRestored: named.some(({ id, added }) => added && stored.some((variant) => variant.id === id)),
    values: current ? differences(current, live, wanted) : {},
    stock: stockToSet(input, named, stored, options.setStock ?? false),
  };
}

/**
 * The variants of an input with their ids: that of the variant with this SKU, or else of the one that the input names by
 * its id, which gets another SKU so, or else of a removed one with this SKU. A variant that gets another SKU leaves its
 * own to another that is named by its id.
 * @throws DomainError `invalid_request` when two would be the same one, or one would get the SKU of another
 */
function identify(
  input: ProductInput,
  given: ProductRecord,
  live: readonly SavedVariant[],
  stored: readonly SavedVariant[],
): IdentifiedVariant[] {
  const names = given.variants.map((_, index) => live.find(({ id }) => id === input.variants[index]?.id));
  const taken = new Set<string>();
  return given.variants.map((variant, index) => {
    const hasItsSku = ({ sku }: SavedVariant) => sku === variant.sku;
    const named = names[index];
    const owner = live.find(hasItsSku);
    const isElsewhere = given.variants.some(({ sku }, at) => sku === named?.sku && (names[at] ?? named) === named);
    const renamed = named && !isElsewhere ? named : undefined;
    if (named && owner && named !== owner && !(renamed && names.includes(owner))) throw takenSku(index, variant.sku);
    const known = renamed ?? owner ?? stored.find(hasItsSku);
    const id = known?.id ?? newId('var');
    if (taken.has(id)) throw repeatedVariant(index);
    taken.add(id);
    return { ...variant, id, added: !known || !live.includes(known) };
  });
}

const repeatedVariant = (index: number) =>
  invalidRequest('Two variants have the same id.', {
    path: `/variants/${index}/id`,
    code: 'uniqueItems',
    detail: 'is that of another variant',
  });

const takenSku = (index: number, sku: string) =>
  rejectSku(
    `/variants/${index}/sku`,
    `${sku} is the SKU of another variant. Give that one another SKU, too, by its id, or remove it first.`,
    'is that of another variant',
  );

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
  'sku',
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
function differences(
  current: SavedProduct,
  live: readonly SavedVariant[],
  wanted: Omit<IdentifiedProduct, 'id' | 'slug'>,
): FieldValues {
  const before = new Map(live.map((variant) => [variant.id, variant]));
  const after = new Set(wanted.variants.map(({ id }) => id));
  const gone = live
    .filter(({ id }) => !after.has(id))
    .map((variant) => [`variants.${variant.sku}`, [variant.name, null]] as const);
  const changed = wanted.variants.flatMap((variant): [string, readonly [unknown, unknown]][] => {
    const known = before.get(variant.id);
    if (!known) return [[`variants.${variant.sku}`, [null, variant.name]]];
    return variantFields
      .filter((field) => !isDeepStrictEqual(known[field], variant[field]))
      .map((field) => [`variants.${known.sku}.${field}`, [known[field], variant[field]]]);
  });
  const plain = plainFields
    .filter((field) => !isDeepStrictEqual(current[field], wanted[field]))
    .map((field) => [field, [current[field], wanted[field]]] as const);
  const values: FieldValues = Object.fromEntries([...plain, ...gone, ...changed]);
  const order = [live.map(({ sku }) => sku), wanted.variants.map(({ sku }) => sku)] as const;
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
    const before = known.find((variant) => variant.id === id)?.stock ?? null;
    const isGiven = added || (setStock && stock !== undefined);
    return isGiven && (stock ?? null) !== before ? [{ variantId: id, sku, before, quantity: stock ?? null }] : [];
  });
}
