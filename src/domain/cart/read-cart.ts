import { readOne } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { CartRecord } from './cart.ts';
import { cartDocument, lineColumns } from './cart-document.ts';

/**
 * A cart with what the catalogue says now of everything in it, in one statement.
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
