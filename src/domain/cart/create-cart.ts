import { write } from '#src/database/transact.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type CartRecord, cartLifeMs } from './cart.ts';
import type { CartInput } from './cart-input.ts';

/**
 * A new, empty cart, in one statement.
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
  await write(
    ctx,
    sql`
    cart as (
      insert into carts (tenant_id, id, status, currency, session_id, customer_id, expires_at, created_at, updated_at)
      values (${ctx.tenant.id}, ${cart.id}, ${cart.status}, ${currency}, ${cart.sessionId}, ${cart.customerId},
        ${cart.expiresAt}, ${now}, ${now})
      returning id)`,
    sql`
    select id from cart`,
  );
  return cart;
}
