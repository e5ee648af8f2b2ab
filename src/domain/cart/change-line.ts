import { transact, write } from '#src/database/transact.ts';
import { type DomainError, invalidRequest, notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { activeCart, placeLine } from './add-line.ts';
import { type CartLineRecord, type CartRecord, changedCart, readCart } from './cart.ts';
import type { CartLinePatch } from './cart-input.ts';

/**
 * Change the quantity of a line, or how it is bought. Quantity 0 removes the line. A line that becomes equal to another
 * line of the cart is merged into it.
 * @returns the changed cart
 * @throws DomainError not_found, or as `addLine`
 */
export async function changeLine(ctx: Context, line: LineOfCart, patch: CartLinePatch): Promise<CartRecord> {
  const { quantity, purchaseType, subscriptionInterval } = patch;
  if (quantity === 0) return removeLine(ctx, line);
  if (purchaseType || subscriptionInterval) return changePurchase(ctx, line, patch);
  return quantity === undefined || quantity === null ? readCart(ctx, line.cartId) : changeQuantity(ctx, line, quantity);
}

async function changeQuantity(ctx: Context, { cartId, lineId }: LineOfCart, quantity: number): Promise<CartRecord> {
  const [found] = await write<ChangedLine>(
    ctx,
    sql`
    cart as materialized (${activeCart(ctx, cartId)}),
    line as (
      update cart_lines l set quantity = ${quantity} from cart
      where l.tenant_id = ${ctx.tenant.id} and l.id = ${lineId} and l.cart_id = cart.id
      returning l.*),
    changed as (
      update carts c set version = c.version + 1, updated_at = ${ctx.clock.now()}
      from line where c.tenant_id = ${ctx.tenant.id} and c.id = ${cartId}
      returning c.*)`,
    sql`
    select ${changedCart(ctx, cartId, { stays: true })} as cart from line`,
  );
  if (!found) throw notFound('line in this cart');
  return found.cart ?? readCart(ctx, cartId);
}

/** Remove the line and add it again with its new terms, so that it is priced again. */
async function changePurchase(ctx: Context, line: LineOfCart, patch: CartLinePatch): Promise<CartRecord> {
  return transact(ctx, async (ctx) => {
    const removed = await deleteLine(ctx, line);
    const purchaseType = patch.purchaseType ?? removed.purchaseType;
    const interval = purchaseType === 'subscription' ? (patch.subscriptionInterval ?? removed.interval) : null;
    if (purchaseType === 'subscription' && !interval) throw intervalMissing();
    return placeLine(ctx, line.cartId, {
      lineId: line.lineId,
      variantId: removed.variantId,
      variantNamed: removed.variantNamed || purchaseType === 'subscription',
      quantity: patch.quantity ?? removed.quantity,
      purchaseType,
      interval,
    });
  });
}

function intervalMissing(): DomainError {
  return invalidRequest('A subscription needs an interval.', {
    path: '/subscriptionInterval',
    code: 'required',
    detail: 'is required',
  });
}

/** Names one line of one cart. */
interface LineOfCart {
  readonly cartId: string;
  readonly lineId: string;
}

/**
 * Remove a line from a cart.
 * @returns the changed cart
 * @throws DomainError not_found for the cart, or for the line in it
 */
export async function removeLine(ctx: Context, line: LineOfCart): Promise<CartRecord> {
  const { cart } = await deleteLine(ctx, line);
  return cart ?? readCart(ctx, line.cartId);
}

/** The cart after the change; null when another transaction changed it at the same time, see `changedCart`. */
interface ChangedLine {
  readonly cart: CartRecord | null;
}

/** A removed line. */
type RemovedLine = ChangedLine &
  Pick<CartLineRecord, 'variantId' | 'variantNamed' | 'quantity' | 'purchaseType' | 'interval'>;

/** @throws DomainError not_found */
async function deleteLine(ctx: Context, { cartId, lineId }: LineOfCart): Promise<RemovedLine> {
  const [line] = await write<RemovedLine>(
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
