import { lockNames } from '#src/database/lock-names.ts';
import { brokenConstraint } from '#src/database/transact.ts';
import { normalizeText } from '#src/lib/normalize-text.ts';
import { opaque, type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { type ProductRecord, rejectSku, type VariantRecord } from './product-input.ts';
import { tagsOfProduct } from './published-products.ts';

export interface SavedVariant extends VariantRecord {
  readonly id: string;
  readonly stock: number | null;
  readonly removed: boolean;
}

/** A product as it is stored. Removed products and variants are included, because they are restored under their ids. */
export interface SavedProduct extends Omit<ProductRecord, 'variants'> {
  readonly id: string;
  readonly removed: boolean;
  readonly variants: readonly SavedVariant[];
}

/**
 * The products with these slugs. The slugs are locked until the transaction ends, including those without a product.
 */
export async function lockProducts(ctx: InTransaction, slugs: readonly string[]): Promise<Map<string, SavedProduct>> {
  await lockNames(ctx, 'product', slugs);
  const products = await ctx.tx.execute<SavedProduct & { slug: string }>(sql`
    select p.slug, p.id, p.removed_at is not null as removed, p.name, p.description, p.category, p.status, p.images,
      p.purchase_types, p.subscription_intervals, ${tagsOfProduct} as tags,
      (select coalesce(json_agg(json_build_object(
          'id', v.id, 'sku', v.sku, 'name', v.name, 'options', v.options, 'price_cents', v.price_cents,
          'compare_at_cents', v.compare_at_cents, 'subscription_price_cents', v.subscription_price_cents,
          'weight_oz', v.weight_oz, 'ships', v.ships, 'low_stock_at', v.low_stock_at, 'backorder', v.backorder,
          'stock', v.stock, 'removed', v.removed_at is not null) order by v.position, v.id), '[]')
       from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id) as variants
    from unnest(${slugs}::text[]) as wanted(slug) cross join lateral (
      select * from products p where p.tenant_id = ${opaque(ctx.tenant.id)} and p.slug = wanted.slug offset 0) as p`);
  return new Map(products.map(({ slug, ...product }) => [slug, product]));
}

/** Those of the slugs that no product has, not even a removed one. */
export async function unknownSlugs(ctx: InTransaction, slugs: readonly string[]): Promise<readonly string[]> {
  if (slugs.length === 0) return [];
  const rows = await ctx.tx.execute<{ slug: string }>(sql`
    select slug from unnest(${slugs}::text[]) as given(slug) where not exists (
      select from products p where p.tenant_id = ${opaque(ctx.tenant.id)} and p.slug = given.slug offset 0)`);
  return rows.map(({ slug }) => slug);
}

/** Which of these SKUs a variant has, without those of one product. */
export async function soldSkus(
  ctx: InTransaction,
  skus: readonly string[],
  exceptOf: Pick<IdentifiedProduct, 'id'> = { id: '' },
): Promise<string[]> {
  if (skus.length === 0) return [];
  const sold = await ctx.tx.execute<{ sku: string }>(sql`
    select given.sku from unnest(${skus}::text[]) as given(sku) cross join lateral (
      select product_id from variants
      where tenant_id = ${opaque(ctx.tenant.id)} and sku = given.sku and removed_at is null offset 0) as v
    where v.product_id <> ${exceptOf.id}`);
  return sold.map(({ sku }) => sku);
}

/** A variant with its id. `added`: it is new, or was removed until now. */
export interface IdentifiedVariant extends VariantRecord {
  readonly id: string;
  readonly added: boolean;
}

export interface IdentifiedProduct extends Omit<ProductRecord, 'variants'> {
  readonly id: string;
  readonly slug: string;
  readonly variants: readonly IdentifiedVariant[];
}

/**
 * Write whole products, their tags and variants, in one statement. Variants that the products do not name are removed.
 * A product has the price of its cheapest variant.
 * @returns the new version of each product by its id
 * @throws DomainError `invalid_request` when a SKU belongs to another product, by a request at the same time
 */
export async function writeProducts(
  ctx: InTransaction,
  products: readonly IdentifiedProduct[],
): Promise<Map<string, number>> {
  try {
    const saved = await ctx.tx.execute<{ id: string; version: number }>(sql`
      with ${savedProducts(ctx, products)}, ${savedTags(ctx, products)}, ${savedVariants(ctx, products)}
      select id, version from saved_products`);
    return new Map(saved.map(({ id, version }) => [id, version]));
  } catch (error) {
    const [first, ...others] = products;
    const owner = others.length > 0 ? 'one of these products' : first?.slug;
    if (brokenConstraint(error) === 'variants_sku') {
      const message = `A SKU of ${owner} belongs to another product.`;
      throw rejectSku('/variants', message, 'have a SKU that belongs to another product');
    }
    throw error;
  }
}

const cheapest = ({ variants }: IdentifiedProduct): IdentifiedVariant =>
  variants.reduce((left, right) => (right.price_cents < left.price_cents ? right : left));

/** What products are sorted by. */
const sortKeys = (product: IdentifiedProduct) => ({
  sort_name: normalizeText(product.name),
  price_cents: cheapest(product).price_cents,
});

function savedProducts({ tenant, clock }: InTransaction, products: readonly IdentifiedProduct[]): Sql {
  const now = clock.now();
  const rows = products.map((product) => {
    const { variants, tags, ...columns } = product;
    return { ...columns, ...sortKeys(product), compare_at_cents: cheapest(product).compare_at_cents };
  });
  return sql`
    saved_products as (
      insert into products (tenant_id, id, slug, name, sort_name, description, category, status, images, purchase_types,
        subscription_intervals, price_cents, compare_at_cents, version, created_at, updated_at)
      select ${tenant.id}, id, slug, name, sort_name, description, category, status, images, purchase_types,
        subscription_intervals, price_cents, compare_at_cents, 1, ${now}::timestamptz, ${now}::timestamptz
      from jsonb_populate_recordset(null::products, ${JSON.stringify(rows)}::jsonb)
      on conflict (tenant_id, id) do update set
        name = excluded.name, sort_name = excluded.sort_name, description = excluded.description,
        category = excluded.category, status = excluded.status, images = excluded.images,
        purchase_types = excluded.purchase_types, subscription_intervals = excluded.subscription_intervals,
        price_cents = excluded.price_cents, compare_at_cents = excluded.compare_at_cents,
        version = products.version + 1, updated_at = excluded.updated_at, removed_at = null
      returning id, version)`;
}

function savedTags({ tenant }: InTransaction, products: readonly IdentifiedProduct[]): Sql {
  const rows = products.flatMap((product) => {
    const copied = { product_id: product.id, listed: product.status === 'published', ...sortKeys(product) };
    return product.tags.map((tag, position) => ({ ...copied, tag, position }));
  });
  return sql`
    given_tags as (
      select * from jsonb_populate_recordset(null::product_tags, ${JSON.stringify(rows)}::jsonb)),
    removed_tags as (
      delete from product_tags where ctid = any(array(
        select t.ctid from unnest(${products.map(({ id }) => id)}::text[]) as p(id) cross join lateral (
          select ctid, tag from product_tags where tenant_id = ${opaque(tenant.id)} and product_id = p.id offset 0) as t
        where (p.id, t.tag) not in (select product_id, tag from given_tags)))),
    saved_tags as (
      insert into product_tags (tenant_id, product_id, tag, position, listed, price_cents, sort_name)
      select ${tenant.id}, product_id, tag, position, listed, price_cents, sort_name from given_tags
      on conflict (tenant_id, product_id, tag) do update set position = excluded.position, listed = excluded.listed,
        price_cents = excluded.price_cents, sort_name = excluded.sort_name)`;
}

function savedVariants({ tenant, clock }: InTransaction, products: readonly IdentifiedProduct[]): Sql {
  const now = clock.now();
  const rows = products.flatMap(({ id, variants }) =>
    variants.map((variant, position) => ({ ...variant, product_id: id, position })),
  );
  return sql`
    given_variants as (
      select * from jsonb_populate_recordset(null::variants, ${JSON.stringify(rows)}::jsonb)),
    removed_variants as (
      update variants set removed_at = ${now}
      where tenant_id = ${opaque(tenant.id)} and case when removed_at is null then true end and id = any(array(
        select v.id from unnest(${products.map(({ id }) => id)}::text[]) as p(id) cross join lateral (
          select id from variants where tenant_id = ${opaque(tenant.id)} and product_id = p.id offset 0) as v
        where v.id not in (select id from given_variants)))),
    saved_variants as (
      insert into variants (tenant_id, id, product_id, position, sku, name, options, price_cents, compare_at_cents,
        subscription_price_cents, weight_oz, ships, backorder, low_stock_at, created_at)
      select ${tenant.id}, id, product_id, position, sku, name, options, price_cents, compare_at_cents,
        subscription_price_cents, weight_oz, ships, backorder, low_stock_at, ${now}::timestamptz
      from given_variants
      on conflict (tenant_id, id) do update set
        position = excluded.position, sku = excluded.sku, name = excluded.name, options = excluded.options,
        price_cents = excluded.price_cents, compare_at_cents = excluded.compare_at_cents,
        subscription_price_cents = excluded.subscription_price_cents,
        weight_oz = excluded.weight_oz, ships = excluded.ships, backorder = excluded.backorder,
        low_stock_at = excluded.low_stock_at, removed_at = null)`;
}
