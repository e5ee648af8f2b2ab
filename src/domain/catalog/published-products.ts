import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { PurchaseType, SubscriptionInterval } from './product-input.ts';
import type { Image } from './product-record.ts';

/** A product as it is read for shoppers. Inside JSON its time is text. */
export interface ProductRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly images: readonly Image[];
  readonly priceCents: number;
  readonly compareAtCents: number | null;
  readonly purchaseTypes: readonly PurchaseType[];
  readonly subscriptionIntervals: readonly SubscriptionInterval[];
  readonly ratingCount: number;
  readonly ratingAverage: number;
  readonly inStock: boolean;
  readonly updatedAt: Date | string;
}

/**
 * A query for the products `p` that are seen, as rows for `presentProduct`. Further conditions, order and limit may
 * follow it.
 *
 * @param more further columns, each after a comma
 */
export function publishedProducts(ctx: Context, more: Sql = sql``): Sql {
  return sql`${selectProducts(ctx, more)} and p.status = 'published'`;
}

/**
 * The same for the store's owner: drafts, too. Variants that were removed are left out by a case: as a condition of its
 * own it would lead a planner that has not counted a new store yet to the index of what is not removed, all of it for each
 * product.
 */
export function selectProducts(ctx: Context, more: Sql = sql``): Sql {
  return sql`
    select p.id, p.slug, p.name, p.description, p.category, p.images, p.price_cents as "priceCents",
      p.compare_at_cents as "compareAtCents", p.purchase_types as "purchaseTypes",
      p.subscription_intervals as "subscriptionIntervals", p.rating_count as "ratingCount",
      p.rating_average::float8 as "ratingAverage", p.updated_at as "updatedAt",
      array(select t.tag from product_tags t
            where t.tenant_id = p.tenant_id and t.product_id = p.id order by t.position) as tags,
      exists (select from variants v
              where v.tenant_id = p.tenant_id and v.product_id = p.id and case when v.removed_at is null
                then v.stock is null or v.backorder or v.stock > v.stock_held end) as "inStock"${more}
    from products p
    where p.tenant_id = ${ctx.tenant.id} and p.removed_at is null`;
}
