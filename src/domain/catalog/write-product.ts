import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { brokenConstraint } from '../database.ts';
import { fold, type ProductRecord, refuseSku, type VariantRecord } from './product-record.ts';

/** A variant that has its id. `added`: it is not sold at present. */
export interface IdentifiedVariant extends VariantRecord {
  readonly id: string;
  readonly added: boolean;
}

interface IdentifiedProduct extends Omit<ProductRecord, 'variants'> {
  readonly id: string;
  readonly slug: string;
  readonly variants: readonly IdentifiedVariant[];
}

/**
 * Write a whole product, its tags and variants, in one statement, and answer its new version. Variants that it does
 * not name are removed. The product shows the price of its cheapest variant.
 * @throws DomainError `invalid_request` when a SKU belongs to another product
 */
export async function writeProduct(ctx: InTransaction, product: IdentifiedProduct): Promise<number> {
  const now = ctx.clock.now();
  const { id: tenantId } = ctx.tenant;
  const variants = product.variants.map((variant, position) => ({ ...variant, position }));
  const cheapest = product.variants.reduce((left, right) => (right.price_cents < left.price_cents ? right : left));
  const statement = sql`
    with product as (
      insert into products (tenant_id, id, slug, name, sort_name, description, category, status, images, purchase_types,
        subscription_intervals, price_cents, compare_at_cents, version, created_at, updated_at)
      values (${tenantId}, ${product.id}, ${product.slug}, ${product.name}, ${fold(product.name)}, ${product.description},
        ${product.category}, ${product.status}, ${JSON.stringify(product.images)}, ${product.purchase_types},
        ${product.subscription_intervals}, ${cheapest.price_cents}, ${cheapest.compare_at_cents}, 1, ${now}, ${now})
      on conflict (tenant_id, id) do update set
        name = excluded.name, sort_name = excluded.sort_name, description = excluded.description,
        category = excluded.category, status = excluded.status, images = excluded.images,
        purchase_types = excluded.purchase_types, subscription_intervals = excluded.subscription_intervals,
        price_cents = excluded.price_cents, compare_at_cents = excluded.compare_at_cents,
        version = products.version + 1, updated_at = excluded.updated_at, removed_at = null
      returning version),
    untagged as (
      delete from product_tags
      where tenant_id = ${tenantId} and product_id = ${product.id} and not (tag = any(${product.tags}::text[]))),
    tagged as (
      insert into product_tags (tenant_id, product_id, tag, position)
      select ${tenantId}, ${product.id}, tag, position
      from unnest(${product.tags}::text[]) with ordinality as t(tag, position)
      on conflict (tenant_id, product_id, tag) do update set position = excluded.position),
    given as (
      select * from jsonb_to_recordset(${JSON.stringify(variants)}::jsonb)
        as v(id text, position int, sku text, name text, options jsonb, price_cents bigint, compare_at_cents bigint,
             subscription_price_cents bigint, weight_oz numeric, ships boolean, backorder boolean, low_stock_at int)),
    removed as (
      update variants set removed_at = ${now}
      where tenant_id = ${tenantId} and product_id = ${product.id} and removed_at is null
        and id not in (select id from given)),
    saved as (
      insert into variants (tenant_id, id, product_id, position, sku, name, options, price_cents, compare_at_cents,
        subscription_price_cents, weight_oz, ships, backorder, low_stock_at, created_at)
      select ${tenantId}, id, ${product.id}, position, sku, name, options, price_cents, compare_at_cents,
        subscription_price_cents, weight_oz, ships, backorder, low_stock_at, ${now}::timestamptz
      from given
      on conflict (tenant_id, id) do update set
        position = excluded.position, name = excluded.name, options = excluded.options, price_cents = excluded.price_cents,
        compare_at_cents = excluded.compare_at_cents, subscription_price_cents = excluded.subscription_price_cents,
        weight_oz = excluded.weight_oz, ships = excluded.ships, backorder = excluded.backorder,
        low_stock_at = excluded.low_stock_at, removed_at = null)
    select version from product`;
  try {
    const [row] = await ctx.tx.run<{ version: number }>(statement);
    return row?.version ?? 1;
  } catch (error) {
    if (brokenConstraint(error) === 'variants_sku') throw refuseSku('/variants', `A SKU of ${product.slug} belongs to another product.`);
    throw error;
  }
}
