import { readPage } from '#src/database/read-page.ts';
import { read, readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { found } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { NewOrderItem } from './create-order.ts';
import type { Attention } from './order.ts';
import { isOrderOf } from './order-number.ts';
import { type OrderRecord, type OrderView, presentOrder } from './present.ts';

/**
 * The order with this id, for a shopper who knows its email.
 * @throws DomainError `not_found`, the same for an unknown order and a wrong email
 */
export async function findOrder(ctx: Context, { id, email }: { id: string; email: string }): Promise<OrderView> {
  return found(await readOrderWhere(ctx, sql`o.id = ${id} and o.email = ${normaliseEmail(email)}`), 'order');
}

/**
 * The order with this number, for a shopper who knows its email.
 * @throws DomainError `not_found`, the same for an unknown order and a wrong email
 */
export async function findOrderByNumber(
  ctx: Context,
  { orderNumber, email }: { orderNumber: string; email: string },
): Promise<OrderView> {
  return found(await readOrderWhere(ctx, isOrderOf(ctx, { orderNumber, email })), 'order');
}

/** An order, read with one statement; `undefined` when the store has none with this id. */
export async function readOrder(ctx: Context, id: string): Promise<OrderView | undefined> {
  return readOrderWhere(ctx, sql`o.id = ${id}`);
}

/** Orders that match `condition` (on `orders o`; the tenant is added), the newest first. */
export async function readOrders(ctx: Context, condition: Sql, limit: number): Promise<OrderView[]> {
  const rows = await read<OrderRow>(
    ctx,
    sql`
    ${selectOrder(ctx)} and ${condition} order by o.created_at desc, o.id desc limit ${limit}`,
  );
  return rows.map(presentOrder);
}

export const newest = { columns: ['o.created_at', 'o.id'], descending: true } as const;

/**
 * Orders with an email (trimmed, lower case) that match `condition` (on `orders o`), the newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listOrders(
  ctx: Context,
  email: string,
  condition: Sql,
  page: PageRequest,
): Promise<Page<OrderView>> {
  const { rows, cursor } = await readPage<OrderRow>(
    ctx,
    { ...newest, name: 'orders', of: { column: 'o.email', value: email } },
    page,
    (position) => sql`${selectOrder(ctx, position)} and o.email is not null and ${condition}`,
  );
  return { rows: rows.map(presentOrder), cursor };
}

/**
 * The items of an order as they are bought again, by position: the goods, of which SKU, weight and whether they ship are
 * those of their variant now, or the last ones of a removed one.
 */
export async function itemsBoughtAgain(ctx: Context, orderId: string): Promise<NewOrderItem[]> {
  return read<NewOrderItem>(
    ctx,
    sql`
    select i.product_id as "productId", i.product_slug as "productSlug", i.variant_id as "variantId",
      i.variant_named as "variantNamed", coalesce(v.sku, i.sku) as sku, i.name, i.quantity,
      i.unit_price_cents as "unitPriceCents", i.discount_cents as "discountCents", i.purchase_type as "purchaseType",
      i.subscription_interval as "subscriptionInterval", coalesce(v.weight_oz, i.weight_oz)::float8 as "weightOz",
      coalesce(v.ships, i.ships) as ships
    from order_items i left join variants v on v.tenant_id = ${ctx.tenant.id} and v.id = i.variant_id
    where i.tenant_id = ${ctx.tenant.id} and i.order_id = ${orderId} order by i.position`,
  );
}

export interface OrderRow extends OrderRecord {
  readonly updatedAt: Date;
  readonly importedAt: Date | null;
  readonly attentions: readonly Attention[];
}

async function readOrderWhere(ctx: Context, condition: Sql): Promise<OrderView | undefined> {
  const row = await readOne<OrderRow>(ctx, sql`${selectOrder(ctx)} and ${condition}`);
  return row && presentOrder(row);
}

export const selectOrder = (ctx: Context, more: Sql = sql``, from: Sql = sql`orders o`): Sql => sql`
  select o.id, o.order_number as "orderNumber", o.status, o.payment_status as "paymentStatus",
    o.fulfillment_status as "fulfillmentStatus", o.dispute_status as "disputeStatus", o.currency, o.email,
    o.customer_id as "customerId",
    o.subtotal_cents as "subtotalCents", o.discount_cents as "discountCents", o.gift_card_cents as "giftCardCents",
    o.shipping_cents as "shippingCents", o.tax_cents as "taxCents", o.total_cents as "totalCents",
    o.refunded_cents as "refundedCents", o.shipping_address as "shippingAddress", o.labels, o.metadata, o.version,
    o.created_at as "createdAt", o.paid_at as "paidAt", o.shipped_at as "shippedAt",
    o.updated_at as "updatedAt", o.imported_at as "importedAt", o.attentions,
    (select coalesce(json_agg(json_build_object(
        'id', i.id, 'product_id', i.product_id, 'product_slug', i.product_slug, 'variant_id', i.variant_id,
        'sku', i.sku, 'name', i.name, 'quantity', i.quantity, 'unit_price_cents', i.unit_price_cents,
        'total_cents', i.total_cents, 'purchase_type', i.purchase_type,
        'subscription_interval', i.subscription_interval) order by i.position), '[]')
      from order_items i where i.tenant_id = o.tenant_id and i.order_id = o.id) as items${more}
  from ${from}
  where o.tenant_id = ${ctx.tenant.id}`;

/** Whether an order with this email (trimmed, lower case) was ever paid for this product. */
export async function hasBought(
  ctx: Context,
  { email, productId }: { email: string; productId: string },
): Promise<boolean> {
  const bought = await readOne(
    ctx,
    sql`
    select 1 as bought from orders o join order_items i on i.tenant_id = ${ctx.tenant.id} and i.order_id = o.id
    where o.tenant_id = ${ctx.tenant.id} and o.email = ${email} and o.paid_at is not null
      and i.product_id = ${productId}
    limit 1`,
  );
  return bought !== undefined;
}
