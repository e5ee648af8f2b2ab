import { transact, write } from '#src/database/transact.ts';
import { type DomainError, invalidRequest, notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { CartRecord } from './cart.ts';
import { changedCart } from './cart-document.ts';
import type { CartLinePatch } from './cart-input.ts';
import { activeCart, placeLine } from './place-line.ts';
import { readCart } from './read-cart.ts';
import { type ChangedLine, type LineOfCart, removeLine, takeLine } from './remove-line.ts';

/**
 * Change how many of a line there are, or how it is bought, and answer the cart. Quantity 0 removes the line. A line
 * that becomes like another of the cart adds to it.
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

/** The same line, taken out and put back as it is bought now: what it costs then is what the shopper sees. */
async function changePurchase(ctx: Context, line: LineOfCart, patch: CartLinePatch): Promise<CartRecord> {
  return transact(ctx, async (ctx) => {
    const taken = await takeLine(ctx, line);
    const purchaseType = patch.purchaseType ?? taken.purchaseType;
    const interval = purchaseType === 'subscription' ? (patch.subscriptionInterval ?? taken.interval) : null;
    if (purchaseType === 'subscription' && !interval) throw intervalMissing();
    return placeLine(ctx, line.cartId, {
      lineId: line.lineId,
      variantId: taken.variantId,
      variantNamed: taken.variantNamed || purchaseType === 'subscription',
      quantity: patch.quantity ?? taken.quantity,
      purchaseType,
      interval,
    });
  });
}

function intervalMissing(): DomainError {
  return invalidRequest('A subscription needs its interval.', {
    path: '/subscriptionInterval',
    code: 'required',
    detail: 'is required',
  });
}
