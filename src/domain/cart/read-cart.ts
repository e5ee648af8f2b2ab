import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { readOne } from '../database.ts';
import type { CartRecord } from './cart.ts';

/**
 * A cart with what the catalogue says now of everything in it, in one statement.
 * @throws DomainError not_found for an unknown cart, an expired one and another store's alike
 */
export async function readCart(ctx: Context, cartId: string): Promise<CartRecord> {
  const cart = await readOne<CartRecord>(ctx, sql`
    select c.id, c.status, c.currency, c.session_id as "sessionId", c.customer_id as "customerId", c.version,
      c.expires_at as "expiresAt", c.created_at as "createdAt", c.updated_at as "updatedAt",
      (select coalesce(json_agg(json_build_object(
          'id', l.id, 'variantId', v.id, 'variantNamed', l.variant_named, 'variantName', v.name, 'sku', v.sku,
          'productId', p.id, 'productSlug', p.slug, 'productName', p.name, 'imageUrl', p.images -> 0 ->> 'url',
          'quantity', l.quantity, 'purchaseType', l.purchase_type, 'interval', l.subscription_interval,
          'seenPriceCents', l.seen_price_cents, 'stock', v.stock, 'stockHeld', v.stock_held,
          'lowStockAt', v.low_stock_at, 'backorder', v.backorder,
          'priceCents', case
            when p.status <> 'published' or p.removed_at is not null or v.removed_at is not null then null
            when l.purchase_type <> all(p.purchase_types) then null
            when l.purchase_type = 'one_time' then v.price_cents
            when l.subscription_interval = any(p.subscription_intervals) then v.subscription_price_cents
          end) order by l.id), '[]')
        from cart_lines l
        join variants v on v.tenant_id = c.tenant_id and v.id = l.variant_id
        join products p on p.tenant_id = c.tenant_id and p.id = v.product_id
        where l.tenant_id = c.tenant_id and l.cart_id = c.id) as lines
    from carts c
    where c.tenant_id = ${ctx.tenant.id} and c.id = ${cartId} and c.expires_at > ${ctx.clock.now()}`);
  if (!cart) throw notFound('cart');
  return cart;
}
