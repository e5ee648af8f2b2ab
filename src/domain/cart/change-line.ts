import { DomainError, notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { transact, write } from '../database.ts';
import type { CartRecord } from './cart.ts';
import type { CartLinePatch } from './cart-input.ts';
import { activeCart, placeLine } from './place-line.ts';
import { readCart } from './read-cart.ts';
import { type LineOfCart, removeLine, takeLine } from './remove-line.ts';

/**
 * Change how many of a line there are, or how it is bought, and answer the cart. Quantity 0 removes the line. A line
 * that becomes like another of the cart adds to it.
 * @throws DomainError not_found, or as `addLine`
 */
export async function changeLine(ctx: Context, line: LineOfCart, patch: CartLinePatch): Promise<CartRecord> {
  const { quantity, purchaseType, subscriptionInterval } = patch;
  if (quantity === 0) return removeLine(ctx, line);
  if (purchaseType || subscriptionInterval) await changePurchase(ctx, line, patch);
  else if (quantity !== undefined) await changeQuantity(ctx, line, quantity);
  return readCart(ctx, line.cartId);
}

async function changeQuantity(ctx: Context, { cartId, lineId }: LineOfCart, quantity: number): Promise<void> {
  const changed = await write(ctx, sql`
    cart as materialized (${activeCart(ctx, cartId)}),
    line as (
      update cart_lines l set quantity = ${quantity} from cart
      where l.tenant_id = ${ctx.tenant.id} and l.id = ${lineId} and l.cart_id = cart.id
      returning l.cart_id),
    changed as (
      update carts c set version = c.version + 1, updated_at = ${ctx.clock.now()}
      from line where c.tenant_id = ${ctx.tenant.id} and c.id = ${cartId})`, sql`
    select cart_id from line`);
  if (changed.length === 0) throw notFound('line in this cart');
}

/** The same line, taken out and put back as it is bought now: what it costs then is what the shopper sees. */
async function changePurchase(ctx: Context, line: LineOfCart, patch: CartLinePatch): Promise<void> {
  await transact(ctx, async (ctx) => {
    const taken = await takeLine(ctx, line);
    const purchaseType = patch.purchaseType ?? taken.purchaseType;
    const interval = purchaseType === 'subscription' ? (patch.subscriptionInterval ?? taken.interval) : null;
    if (purchaseType === 'subscription' && !interval) throw intervalMissing();
    await placeLine(ctx, line.cartId, {
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
  const errors = [{ path: '/subscriptionInterval', code: 'required', detail: 'is required' }];
  const sentence = 'A subscription needs its interval.';
  return new DomainError('invalid', 'invalid_request', sentence, { extensions: { errors } });
}
