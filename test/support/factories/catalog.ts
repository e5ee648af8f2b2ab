import { readOne, transact } from '#src/database/transact.ts';
import { type ProductInput, saveProduct } from '#src/domain/catalog/index.ts';
import type { VariantInput } from '#src/domain/catalog/product-input.ts';
import type { Context } from '#src/domain/context.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';

export interface BuiltVariant {
  id: string;
  sku: string;
  name: string;
  priceCents: number;
  subscriptionPriceCents: number | null;
}

export interface BuiltProduct {
  id: string;
  slug: string;
  name: string;
  /** The first variant: the only one unless others were given. */
  variant: BuiltVariant;
  variants: BuiltVariant[];
}

/** What a test may say of a product; a variant may leave out its SKU and price. */
export type GivenProduct = Omit<Partial<ProductInput>, 'variants'> & { variants?: Partial<VariantInput>[] };

/**
 * A published product: one variant of 18 oz at 3800 cents, 100 in stock, sold once. `given` overrides fields;
 * `purchase_types: ['one_time', 'subscription']` makes the variants cost 3400 cents by subscription.
 */
export async function buildProduct(ctx: Context, given: GivenProduct = {}): Promise<BuiltProduct> {
  const slug = given.slug ?? `bowl-${randomText(8).replaceAll(/[^a-z0-9]/g, 'x')}`;
  const subscription = given.purchase_types?.includes('subscription') ? { subscription_price_cents: 3400 } : {};
  const variants = (given.variants ?? [{}]).map((variant, index) => ({
    sku: `${slug.toUpperCase()}-${index + 1}`,
    price_cents: 3800,
    weight_oz: 18,
    stock: 100,
    ...subscription,
    ...variant,
  }));
  await transact(ctx, (ctx) => saveProduct(ctx, { name: 'Oak bowl', ...given, slug, variants }));
  return findBuilt(ctx, slug);
}

async function findBuilt(ctx: Context, slug: string): Promise<BuiltProduct> {
  const found = await readOne<Omit<BuiltProduct, 'variant'>>(
    ctx,
    sql`
    select p.id, p.slug, p.name, (
      select json_agg(json_build_object('id', v.id, 'sku', v.sku, 'name', v.name, 'priceCents', v.price_cents,
        'subscriptionPriceCents', v.subscription_price_cents) order by v.position)
      from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id and v.removed_at is null) as variants
    from products p where p.tenant_id = ${ctx.tenant.id} and p.slug = ${slug}`,
  );
  const [variant] = found?.variants ?? [];
  if (!found || !variant) throw new Error(`The product ${slug} was not built.`);
  return { ...found, variant };
}

/** One of the product in a checkout, each month. */
export const monthlyItem = ({ slug, variant }: BuiltProduct) => ({
  product_slug: slug,
  variant_id: variant.id,
  quantity: 1,
  purchase_type: 'subscription' as const,
  subscription_interval: 'month' as const,
});

/** The stock of a variant, what is held of it, and what its ledger adds up to (0 while it is not tracked). */
export async function stockOf(
  ctx: Context,
  variantId: string,
): Promise<{ stock: number | null; held: number; ledger: number }> {
  const found = await readOne<{ stock: number | null; held: number; ledger: number }>(
    ctx,
    sql`
    select v.stock, v.stock_held as held, (
      select coalesce(sum(m.quantity), 0)::int from stock_movements m
      where m.tenant_id = v.tenant_id and m.variant_id = v.id) as ledger
    from variants v where v.tenant_id = ${ctx.tenant.id} and v.id = ${variantId}`,
  );
  if (!found) throw new Error(`There is no variant ${variantId}.`);
  return found;
}

/** A catalog of mugs and plates, each with two variants, as input of `saveProducts`. */
export const stonewareInputs = (count: number): ProductInput[] =>
  Array.from({ length: count }, (_, number) => ({
    slug: `product-${number}`,
    name: `Stoneware ${number % 2 ? 'mug' : 'plate'} ${number}`,
    tags: ['clay'],
    variants: [
      { sku: `S-${number}`, price_cents: 1000 },
      { sku: `L-${number}`, price_cents: 1200 },
    ],
  }));
