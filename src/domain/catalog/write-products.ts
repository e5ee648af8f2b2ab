import { brokenConstraint } from '#src/database/transact.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normalizeText, type ProductRecord, rejectSku, type VariantRecord } from './product-record.ts';

/** A variant that has its id. `added`: it is not sold at present. */
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
 * Write whole products, their tags and variants, in one statement, and answer their new versions by their ids. Variants
 * that they do not name are removed. A product shows the price of its cheapest variant.
 * @throws DomainError `invalid_request` when a SKU belongs to another product
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
    if (brokenConstraint(error) === 'variants_sku')
      throw rejectSku('/variants', `A SKU of ${owner} belongs to another product.`);
    throw error;
  }
}

function savedProducts({ tenant, clock }: InTransaction, products: readonly IdentifiedProduct[]): Sql {
  const now = clock.now();
  const rows = products.map(({ variants, tags, ...product }) => {
    const { price_cents, compare_at_cents } = variants.reduce((left, right) =>
      right.price_cents < left.price_cents ? right : left,
    );
    return { ...product, sort_name: normalizeText(product.name), price_cents, compare_at_cents };
  });
  return sql`
    saved_products as (
      insert into products (tenant_id, id, slug, name, sort_name, description, category, status, images, purchase_types,
        subscription_intervals, price_cents, compare_at_cents, version, created_at, updated_at)
      select ${tenant.id}, id, slug, name, sort_name, description, category, status, images, purchase_types,
        subscription_intervals, price_cents, compare_at_cents, 1, ${now}::timestamptz, ${now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as p(id text, slug text, name text, sort_name text, description text, category text, status text, images jsonb,
             purchase_types text[], subscription_intervals text[], price_cents bigint, compare_at_cents bigint)
      on conflict (tenant_id, id) do update set
        name = excluded.name, sort_name = excluded.sort_name, description = excluded.description,
        category = excluded.category, status = excluded.status, images = excluded.images,
        purchase_types = excluded.purchase_types, subscription_intervals = excluded.subscription_intervals,
        price_cents = excluded.price_cents, compare_at_cents = excluded.compare_at_cents,
        version = products.version + 1, updated_at = excluded.updated_at, removed_at = null
      returning id, version)`;
}

function savedTags({ tenant }: InTransaction, products: readonly IdentifiedProduct[]): Sql {
  const rows = products.flatMap(({ id, tags }) => tags.map((tag, position) => ({ product_id: id, tag, position })));
  return sql`
    given_tags as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t(product_id text, tag text, position int)),
    removed_tags as (
      delete from product_tags
      where tenant_id = ${tenant.id} and product_id = any(${products.map(({ id }) => id)}::text[])
        and (product_id, tag) not in (select product_id, tag from given_tags)),
    saved_tags as (
      insert into product_tags (tenant_id, product_id, tag, position)
      select ${tenant.id}, product_id, tag, position from given_tags
      on conflict (tenant_id, product_id, tag) do update set position = excluded.position)`;
}

function savedVariants({ tenant, clock }: InTransaction, products: readonly IdentifiedProduct[]): Sql {
  const now = clock.now();
  const rows = products.flatMap(({ id, variants }) =>
    variants.map((variant, position) => ({ ...variant, product_id: id, position })),
  );
  return sql`
    given_variants as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as v(id text, product_id text, position int, sku text, name text, options jsonb, price_cents bigint,
             compare_at_cents bigint, subscription_price_cents bigint, weight_oz numeric, ships boolean, backorder boolean,
             low_stock_at int)),
    removed_variants as (
      update variants set removed_at = ${now}
      where tenant_id = ${tenant.id} and product_id = any(${products.map(({ id }) => id)}::text[]) and removed_at is null
        and id not in (select id from given_variants)),
    saved_variants as (
      insert into variants (tenant_id, id, product_id, position, sku, name, options, price_cents, compare_at_cents,
        subscription_price_cents, weight_oz, ships, backorder, low_stock_at, created_at)
      select ${tenant.id}, id, product_id, position, sku, name, options, price_cents, compare_at_cents,
        subscription_price_cents, weight_oz, ships, backorder, low_stock_at, ${now}::timestamptz
      from given_variants
      on conflict (tenant_id, id) do update set
        position = excluded.position, name = excluded.name, options = excluded.options, price_cents = excluded.price_cents,
        compare_at_cents = excluded.compare_at_cents, subscription_price_cents = excluded.subscription_price_cents,
        weight_oz = excluded.weight_oz, ships = excluded.ships, backorder = excluded.backorder,
        low_stock_at = excluded.low_stock_at, removed_at = null)`;
}
