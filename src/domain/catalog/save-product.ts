import { notifyPublished } from '#jobs/leads.ts';
import { indexDocument, indexDocuments } from '#jobs/search.ts';
import { lockNames } from '#src/database/lock-names.ts';
import { rejectIssues } from '#src/lib/errors.ts';
import type { Cents } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { Issue } from '#src/lib/validation.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Change, IdentifiedChange } from '../change.ts';
import { checkCharge } from '../checks.ts';
import type { InTransaction } from '../context.ts';
import { changeStock } from './change-stock.ts';
import { type ProductPlan, planProduct, type SaveProductOptions } from './plan-product.ts';
import { type ProductInput, rejectSku } from './product-input.ts';
import { lockProducts, soldSkus, writeProducts } from './product-rows.ts';

/**
 * Create a product or update it to its input. Nothing is written when nothing differs. A removed product or variant is
 * restored under its id, with the opening stock of the input.
 */
export async function saveProduct(
  ctx: InTransaction,
  input: ProductInput,
  options: SaveProductOptions = {},
): Promise<IdentifiedChange> {
  const [plan] = await planAll(ctx, [input], options);
  if (!plan) throw new TypeError('A product was not planned.');
  await rejectSkusOfOthers(ctx, plan, input);
  await applyPlans(ctx, [plan]);
  return changeOf(plan);
}

/** @throws DomainError `invalid_request` that names the first variant whose SKU belongs to another product */
async function rejectSkusOfOthers(ctx: InTransaction, plan: ProductPlan, { variants }: ProductInput): Promise<void> {
  const own = plan.live.map(({ sku }) => sku);
  const given = variants.map(({ sku }) => sku).filter((sku) => !own.includes(sku));
  const sold = await soldSkus(ctx, given, plan);
  const index = variants.findIndex(({ sku }) => sold.includes(sku));
  if (index < 0) return;
  const message = `${variants[index]?.sku} is the SKU of another product.`;
  throw rejectSku(`/variants/${index}/sku`, message, 'belongs to another product');
}

/**
 * Save many products in as few statements as one. Where a SKU or slug occurs twice, or a new SKU is already in use,
 * they are saved one after the other by `saveOne`, so that a failure names its product.
 */
export async function saveProducts(
  ctx: InTransaction,
  inputs: readonly ProductInput[],
  options: SaveProductOptions,
  saveOne: (input: ProductInput, index: number) => Promise<IdentifiedChange> = (input) =>
    saveProduct(ctx, input, options),
): Promise<IdentifiedChange[]> {
  const plans = await planAll(ctx, inputs, options);
  const newSkus = plans.flatMap(({ variants }) => variants.filter(({ added }) => added).map(({ sku }) => sku));
  const isDistinct =
    new Set(newSkus).size === newSkus.length && new Set(plans.map(({ slug }) => slug)).size === plans.length;
  if (isDistinct && (await soldSkus(ctx, newSkus)).length === 0) {
    await applyPlans(ctx, plans);
    return plans.map(changeOf);
  }
  const changes: IdentifiedChange[] = [];
  for (const [index, input] of inputs.entries()) changes.push(await saveOne(input, index));
  return changes;
}

async function planAll(
  ctx: InTransaction,
  inputs: readonly ProductInput[],
  options: SaveProductOptions,
): Promise<ProductPlan[]> {
  const found = await lockProducts(
    ctx,
    inputs.map(({ slug }) => slug),
  );
  return inputs.map((input) => {
    const plan = planProduct(input, found.get(input.slug), options);
    rejectIssues(issuesOfPrices(plan.variants, ctx.tenant.currency, plan.live));
    return plan;
  });
}

interface Priced {
  readonly id?: string;
  readonly price_cents: Cents;
  readonly subscription_price_cents?: Cents | null;
}

/** Prices at which nothing can be sold in a currency, without those that are stored already. */
export function issuesOfPrices(variants: readonly Priced[], currency: string, stored: readonly Priced[] = []): Issue[] {
  return variants.flatMap((variant, index) => {
    const before = stored.find(({ id }) => id === variant.id);
    return (['price_cents', 'subscription_price_cents'] as const)
      .filter((field) => variant[field] !== before?.[field])
      .flatMap((field) => checkCharge(`/variants/${index}/${field}`, variant[field] ?? 0, currency));
  });
}

async function applyPlans(ctx: InTransaction, plans: readonly ProductPlan[]): Promise<void> {
  const changed = plans.filter(({ isNew, values }) => isNew || Object.keys(values).length > 0);
  if (changed.length > 0) {
    await releaseSkus(ctx, changed);
    const versions = await writeProducts(
      ctx,
      changed.map(({ isNew, isRestored, values, stock, live, ...product }) => product),
    );
    enqueueIndexing(
      ctx,
      changed.map(({ id }) => ({ id, version: versions.get(id) ?? 1 })),
    );
    const published = changed.filter(isPublishedNow).map(({ id }) => id);
    const [first] = published;
    if (first) enqueue(ctx, notifyPublished, { productIds: published, version: versions.get(first) ?? 1 });
  }
  const stock = plans.flatMap(({ stock }) => stock);
  if (stock.length > 0) await changeStock(ctx, stock);
}

/** A SKU that another variant of the product gets is free before that one is written, which sells its own again. */
async function releaseSkus(ctx: InTransaction, plans: readonly ProductPlan[]): Promise<void> {
  const ids = plans.flatMap(({ live, variants }) => {
    const owners = new Map(live.map(({ id, sku }) => [sku, id]));
    const passedOn = variants.map(({ id, sku }) => ({ id, owner: owners.get(sku) }));
    return passedOn.flatMap(({ id, owner }) => (owner === undefined || owner === id ? [] : [owner]));
  });
  if (ids.length === 0) return;
  await ctx.tx.execute(sql`
    update variants set removed_at = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id} and id = any(${ids})`);
}

/**
 * Whether it, or a variant of it, was stored and not on sale before: it may have been restocked meanwhile, which notified
 * nobody.
 */
function isPublishedNow({ status, values, isRestored }: ProductPlan): boolean {
  return status === 'published' && ('status' in values || isRestored);
}

/** Many products are indexed by one job: a job for each would cost more than the indexing. */
function enqueueIndexing(ctx: InTransaction, products: readonly { id: string; version: number }[]): void {
  const [first, ...others] = products;
  if (!first) return;
  if (others.length === 0) enqueue(ctx, indexDocument, { kind: 'product', ...first });
  else {
    const documentIds = products.map(({ id }) => id);
    enqueue(ctx, indexDocuments, { kind: 'product', documentIds, version: first.version });
  }
}

function changeOf({ id, slug, isNew, values: differing, stock, live }: ProductPlan): IdentifiedChange {
  const subject = `product ${slug}`;
  if (isNew) return { id, subject, action: 'created', fields: [] };
  const recounted = stock.filter(({ variantId }) => live.some(({ id }) => id === variantId));
  const counts = recounted.map(({ sku, before, quantity }) => [`variants.${sku}.stock`, [before, quantity]] as const);
  const values = { ...differing, ...Object.fromEntries(counts) };
  const isChanged = Object.keys(differing).length + stock.length > 0;
  return { id, subject, action: isChanged ? 'updated' : 'unchanged', fields: Object.keys(values), values };
}

/** Remove a product and its variants. Stock of existing orders can still be released, captured and put back. */
export async function removeProduct(ctx: InTransaction, slug: string): Promise<Change> {
  await lockNames(ctx, 'product', [slug]);
  const now = ctx.clock.now();
  const [removed] = await ctx.tx.execute<{ id: string; version: number }>(sql`
    with product as (
      update products set removed_at = ${now}, updated_at = ${now}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and slug = ${slug} and removed_at is null
      returning id, version),
    tags as (
      update product_tags set listed = false
      where tenant_id = ${ctx.tenant.id} and product_id = (select id from product)),
    variants as (
      update variants set removed_at = ${now}
      where tenant_id = ${ctx.tenant.id} and product_id = (select id from product) and removed_at is null)
    select id, version from product`);
  if (removed) enqueue(ctx, indexDocument, { kind: 'product', ...removed });
  const action = removed ? 'removed' : 'unchanged';
  return { ...(removed && { id: removed.id }), subject: `product ${slug}`, action, fields: [] };
}
