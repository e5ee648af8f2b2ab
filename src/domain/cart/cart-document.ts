import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/**
 * A query for a cart as one JSON document, a `CartRecord`, with what the catalogue says now of everything in it.
 *
 * @param cart where its row is read from
 * @param lines where its lines are read from
 */
export function cartDocument(ctx: Context, cart: Sql, lines: Sql): Sql {
  return sql`
    select to_json(document) as cart from (
      select c.id, c.status, c.currency, c.session_id as "sessionId", c.customer_id as "customerId", c.version,
        c.expires_at as "expiresAt", c.created_at as "createdAt", c.updated_at as "updatedAt", (
          select coalesce(json_agg(line), '[]') from (
            select l.id, v.id as "variantId", l.variant_named as "variantNamed", v.name as "variantName", v.sku,
              p.id as "productId", p.slug as "productSlug", p.name as "productName",
              p.images -> 0 ->> 'url' as "imageUrl", l.quantity, l.purchase_type as "purchaseType",
              l.subscription_interval as interval, l.seen_price_cents as "seenPriceCents",
              v.stock, v.stock_held as "stockHeld", v.low_stock_at as "lowStockAt", v.backorder, case
                when p.status <> 'published' or p.removed_at is not null or v.removed_at is not null then null
                when l.purchase_type <> all(p.purchase_types) then null
                when l.purchase_type = 'one_time' then v.price_cents
                when l.subscription_interval = any(p.subscription_intervals) then v.subscription_price_cents
              end as "priceCents"
            from (${lines}) l
            join variants v on v.tenant_id = ${ctx.tenant.id} and v.id = l.variant_id
            join products p on p.tenant_id = ${ctx.tenant.id} and p.id = v.product_id
            order by l.id) as line) as lines
      from (${cart}) c) as document`;
}

/** Everything of a line that a cart's document tells. */
export const lineColumns: Sql = sql`
  id, variant_id, variant_named, quantity, purchase_type, subscription_interval, seen_price_cents`;

/**
 * The document of a cart that the same statement changes: `line` is the line that it changed, `changed` the cart's row.
 * A statement sees other lines as they were when it began, so that there is no document where it had to wait for
 * somebody else who changed the cart: then it has to be read anew.
 *
 * @param stays whether `line` is still in the cart
 */
export function changedCart(ctx: Context, cartId: string, { stays }: { stays: boolean }): Sql {
  const before = sql`(select version from carts where tenant_id = ${ctx.tenant.id} and id = ${cartId})`;
  const others = sql`
    select ${lineColumns} from cart_lines
    where tenant_id = ${ctx.tenant.id} and cart_id = ${cartId} and id <> all(array(select id from line))`;
  const lines = stays ? sql`${others} union all select ${lineColumns} from line` : others;
  return sql`(${cartDocument(ctx, sql`select * from changed where version = ${before} + 1`, lines)})`;
}
