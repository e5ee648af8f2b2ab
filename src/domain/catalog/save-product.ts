import { isDeepStrictEqual } from 'node:util';

import { indexDocument } from '#jobs/search.ts';
import { newId } from '#src/lib/ids.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Change } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { changeStock, type StockChange } from './change-stock.ts';
import type { ProductInput } from './product-input.ts';
import { completeProduct, type ProductRecord } from './product-record.ts';
import { isAnySold, lockProducts, type SavedProduct, type SavedVariant } from './saved-product.ts';
import { type IdentifiedProduct, type IdentifiedVariant, writeProducts } from './write-products.ts';

export interface SaveProductOptions {
  /** Also set the stock of variants that exist already. Without it `stock` is an opening value. */
  readonly setStock?: boolean;
  /** Remove the variants that the input does not name. Without it they stay as they are. */
  readonly prune?: boolean;
}

/**
 * Create a product, or bring it into line with its input. Nothing is written where nothing differs. A product or a
 * variant that was removed comes back under its id, with the stock that the input opens it with.
 */
export async function saveProduct(ctx: InTransaction, input: ProductInput, options: SaveProductOptions = {}): Promise<Change> {
  const [plan] = await planAll(ctx, [input], options);
  if (!plan) throw new TypeError('There is a plan for each input.');
  await carryOut(ctx, [plan]);
  return changeOf(plan);
}

/**
 * The same for many products, in as few statements as for one. Only where a SKU is taken, or goes from one product to
 * another, are they saved one after the other, by `saveOne`, which says of which of them a fault is.
 */
export async function saveProducts(
  ctx: InTransaction,
  inputs: readonly ProductInput[],
  options: SaveProductOptions,
  saveOne: (input: ProductInput, index: number) => Promise<Change> = (input) => saveProduct(ctx, input, options),
): Promise<Change[]> {
  const plans = await planAll(ctx, inputs, options);
  const newSkus = plans.flatMap(({ variants }) => variants.filter(({ added }) => added).map(({ sku }) => sku));
  const isApart = new Set(newSkus).size === newSkus.length && new Set(plans.map(({ slug }) => slug)).size === plans.length;
  if (isApart && !(await isAnySold(ctx, newSkus))) {
    await carryOut(ctx, plans);
    return plans.map(changeOf);
  }
  const changes: Change[] = [];
  for (const [index, input] of inputs.entries()) changes.push(await saveOne(input, index));
  return changes;
}

/** What saving a product comes to. */
interface Plan extends IdentifiedProduct {
  readonly isNew: boolean;
  /** The names of what differs. */
  readonly fields: readonly string[];
  readonly stock: readonly (StockChange & { readonly sku: string })[];
  /** What is sold of it at present. */
  readonly live: readonly SavedVariant[];
}

async function planAll(ctx: InTransaction, inputs: readonly ProductInput[], options: SaveProductOptions): Promise<Plan[]> {
  const found = await lockProducts(ctx, inputs.map(({ slug }) => slug));
  return inputs.map((input) => plan(input, found.get(input.slug), options));
}

function plan(input: ProductInput, found: SavedProduct | undefined, options: SaveProductOptions): Plan {
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
    ...wanted, variants, live, slug: input.slug, id: found?.id ?? newId('prod'), isNew: !current,
    fields: current ? differences(current, live, wanted) : [],
    stock: stockToSet(input, variants, found?.variants ?? [], options.setStock ?? false),
  };
}

async function carryOut(ctx: InTransaction, plans: readonly Plan[]): Promise<void> {
  const changed = plans.filter(({ isNew, fields }) => isNew || fields.length > 0);
  if (changed.length > 0) {
    const versions = await writeProducts(ctx, changed.map(({ isNew, fields, stock, live, ...product }) => product));
    for (const { id } of changed) enqueue(ctx, indexDocument, { kind: 'product', id, version: versions.get(id) ?? 1 });
  }
  const stock = plans.flatMap(({ stock }) => stock);
  if (stock.length > 0) await changeStock(ctx, stock);
}

function changeOf({ slug, isNew, fields, stock, live }: Plan): Change {
  const subject = `product ${slug}`;
  if (isNew) return { subject, action: 'created', fields: [] };
  const recounted = stock.filter(({ sku }) => live.some((variant) => variant.sku === sku));
  const all = [...fields, ...recounted.map(({ sku }) => `variants.${sku}.stock`)];
  return { subject, action: fields.length + stock.length > 0 ? 'updated' : 'unchanged', fields: all };
}

const plainFields = [
  'name', 'description', 'category', 'tags', 'status', 'images', 'purchase_types', 'subscription_intervals',
] as const satisfies (keyof ProductRecord)[];

const variantFields = [
  'name', 'options', 'price_cents', 'compare_at_cents', 'subscription_price_cents', 'weight_oz', 'ships', 'low_stock_at',
  'backorder',
] as const satisfies (keyof SavedVariant)[];

/** The names of what differs: `name`, `variants.BOWL-S.price_cents`, `variants.BOWL-L` where it comes or goes. */
function differences(current: SavedProduct, live: readonly SavedVariant[], wanted: ProductRecord): string[] {
  const before = new Map(live.map((variant) => [variant.sku, variant]));
  const after = new Map(wanted.variants.map((variant) => [variant.sku, variant]));
  const gone = live.filter(({ sku }) => !after.has(sku)).map(({ sku }) => `variants.${sku}`);
  const changed = wanted.variants.flatMap((variant) => {
    const known = before.get(variant.sku);
    if (!known) return [`variants.${variant.sku}`];
    return variantFields
      .filter((field) => !isDeepStrictEqual(known[field], variant[field]))
      .map((field) => `variants.${variant.sku}.${field}`);
  });
  const fields = [...plainFields.filter((field) => !isDeepStrictEqual(current[field], wanted[field])), ...gone, ...changed];
  const isReordered = fields.length === 0 && !isDeepStrictEqual([...before.keys()], [...after.keys()]);
  return isReordered ? ['variants'] : fields;
}

/** A variant that is new on the shelf opens with its stock; of others it is set only on demand. */
function stockToSet(
  input: ProductInput,
  variants: readonly IdentifiedVariant[],
  known: readonly SavedVariant[],
  setStock: boolean,
): (StockChange & { sku: string })[] {
  return variants.flatMap(({ id, sku, added }) => {
    const { stock } = input.variants.find((variant) => variant.sku === sku) ?? {};
    const before = known.find((variant) => variant.sku === sku)?.stock ?? null;
    const isSaid = added || (setStock && stock !== undefined);
    return isSaid && (stock ?? null) !== before ? [{ variantId: id, sku, quantity: stock ?? null }] : [];
  });
}
