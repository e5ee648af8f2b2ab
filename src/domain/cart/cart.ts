import { readOne, writeRows } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { DomainError, notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { PricedLine, StockLevel } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import type { CartInput } from './cart-input.ts';

/** How long a cart can be read and changed after it was created. */
const cartLifeMs = days(30);

/** The largest number of lines of a cart, as in the constraint `cart_holds_100_lines`. */
export const linesMax = 100;

/** A cart as one JSON document, with the current catalogue data of its lines. Times are RFC 3339. */
export interface CartRecord {
  readonly id: string;
  readonly status: 'active' | 'converted';
  readonly currency: string;
  readonly sessionId: string | null;
  readonly customerId: string | null;
  readonly version: number;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lines: readonly CartLineRecord[];
}

export interface CartLineRecord
  extends StockLevel,
    Omit<PricedLine, 'unitPriceCents' | 'weightOz' | 'ships' | 'options'> {
  readonly id: string;
  /** The current unit price; null when the line can no longer be bought as it is. */
  readonly priceCents: number | null;
  /** The unit price that the shopper saw last. */
  readonly seenPriceCents: number;
}

/**
 * Create an empty cart, in one statement.
 * @throws DomainError `currency_mismatch` for any currency but the store's
 */
export async function createCart(ctx: Context, input: CartInput): Promise<CartRecord> {
  const { currency } = ctx.tenant;
  if (input.currency && input.currency.toUpperCase() !== currency) {
    throw new DomainError('invalid', 'currency_mismatch', `This store sells in ${currency}.`);
  }
  const now = ctx.clock.now();
  const cart: CartRecord = {
    id: newId('cart'),
    status: 'active',
    currency,
    sessionId: input.session_id ?? null,
    customerId: input.customer_id ?? null,
    version: 1,
    lines: [],
    expiresAt: new Date(now.getTime() + cartLifeMs).toISOString(),
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  };
  await writeRows(
    ctx,
    sql`
    insert into carts (tenant_id, id, status, currency, session_id, customer_id, expires_at, created_at, updated_at)
    values (${ctx.tenant.id}, ${cart.id}, ${cart.status}, ${currency}, ${cart.sessionId}, ${cart.customerId},
      ${cart.expiresAt}, ${now}, ${now})
    returning id`,
  );
  return cart;
}

/**
 * A cart with the current catalogue data of its lines, in one statement.
 * @throws DomainError not_found for an unknown cart, an expired one and another store's alike
 */
export async function readCart(ctx: Context, cartId: string): Promise<CartRecord> {
  const cart = sql`
    select * from carts where tenant_id = ${ctx.tenant.id} and id = ${cartId} and expires_at > ${ctx.clock.now()}`;
  const lines = sql`select ${lineColumns} from cart_lines where tenant_id = ${ctx.tenant.id} and cart_id = ${cartId}`;
  const found = await readOne<{ cart: CartRecord }>(ctx, cartDocument(ctx, cart, lines), { brief: true });
  if (!found) throw notFound('cart');
  return found.cart;
}

/**
 * A query for a cart as one JSON document, a `CartRecord`. Prices are those of now, and so is their currency, which may
 * have changed before the store's first order.
 *
 * @param cart a query for the cart's row
 * @param lines a query for the cart's lines
 */
function cartDocument(ctx: Context, cart: Sql, lines: Sql): Sql {
  return sql`
    select to_json(document) as cart from (
      select c.id, c.status, ${ctx.tenant.currency}::text as currency, c.session_id as "sessionId",
        c.customer_id as "customerId", c.version, c.expires_at as "expiresAt", c.created_at as "createdAt",
        c.updated_at as "updatedAt", (
          select coalesce(json_agg(line), '[]') from (
            select l.id, v.id as "variantId", l.variant_named as "variantNamed", v.name as "variantName", v.sku,
              p.id as "productId", p.slug as "productSlug", p.name as "productName",
              p.images -> 0 ->> 'url' as "imageUrl", l.quantity, l.purchase_type as "purchaseType",
              l.subscription_interval as interval, l.seen_price_cents as "seenPriceCents",
              v.stock, v.stock_held as "stockHeld", v.low_stock_at as "lowStockAt", v.backorder,
              case when p.status = 'published' and p.removed_at is null and v.removed_at is null
                then ${unitPrice(sql`l.purchase_type`, sql`l.subscription_interval`)} end as "priceCents"
            from (${lines}) l
            join variants v on v.tenant_id = ${ctx.tenant.id} and v.id = l.variant_id
            join products p on p.tenant_id = ${ctx.tenant.id} and p.id = v.product_id
            order by l.id) as line) as lines
      from (${cart}) c) as document`;
}

/** The unit price of a variant `v` of a product `p` that is bought like this. Null: it is not sold in this way. */
export const unitPrice = (purchaseType: Sql, interval: Sql): Sql => sql`
  case
    when ${purchaseType} <> all(p.purchase_types) then null
    when ${purchaseType} = 'one_time' then v.price_cents
    when ${interval} = any(p.subscription_intervals) then v.subscription_price_cents
  end`;

/** The columns of a line that a cart's document is made of. */
const lineColumns: Sql = sql`
  id, variant_id, variant_named, quantity, purchase_type, subscription_interval, seen_price_cents`;

/**
 * The document of a cart that the same statement changes: `line` is the changed line, `changed` the cart's row. A
 * statement sees the other lines as they were when it began. So the document is null when it had to wait for another
 * transaction that changed the cart, and the cart has to be read again.
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
