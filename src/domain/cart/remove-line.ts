import { write } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { PurchaseType, SubscriptionInterval } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import type { CartRecord } from './cart.ts';
import { changedCart } from './cart-document.ts';
import { activeCart } from './place-line.ts';
import { readCart } from './read-cart.ts';

/** Names one line of one cart. */
export interface LineOfCart {
  readonly cartId: string;
  readonly lineId: string;
}

/**
 * Take a line out of a cart, and answer the cart.
 * @throws DomainError not_found for the cart, or the line in it
 */
export async function removeLine(ctx: Context, line: LineOfCart): Promise<CartRecord> {
  const { cart } = await takeLine(ctx, line);
  return cart ?? readCart(ctx, line.cartId);
}

/** What is known of the cart whose line was changed; null where somebody else changed it meanwhile. */
export interface ChangedLine {
  readonly cart: CartRecord | null;
}

/** What was taken out. */
export interface TakenLine extends ChangedLine {
  readonly variantId: string;
  readonly variantNamed: boolean;
  readonly quantity: number;
  readonly purchaseType: PurchaseType;
  readonly interval: SubscriptionInterval | null;
}

/** Take a line out of a cart, in one statement. Throws not_found. */
export async function takeLine(ctx: Context, { cartId, lineId }: LineOfCart): Promise<TakenLine> {
  const [line] = await write<TakenLine>(
    ctx,
    sql`
    cart as materialized (${activeCart(ctx, cartId)}),
    line as (
      delete from cart_lines l using cart
      where l.tenant_id = ${ctx.tenant.id} and l.id = ${lineId} and l.cart_id = cart.id
      returning l.*),
    changed as (
      update carts c set line_count = c.line_count - 1, version = c.version + 1, updated_at = ${ctx.clock.now()}
      from line where c.tenant_id = ${ctx.tenant.id} and c.id = ${cartId}
      returning c.*)`,
    sql`
    select variant_id as "variantId", variant_named as "variantNamed", quantity, purchase_type as "purchaseType",
      subscription_interval as interval, ${changedCart(ctx, cartId, { stays: false })} as cart
    from line`,
  );
  if (!line) throw notFound('line in this cart');
  return line;
}
