import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';

/**
 * A paid order came of this cart: it can be read, and not changed any more. Twice is once. Answers the storefront's
 * session that filled it, where it was active and is known.
 */
export async function markCartConverted(ctx: InTransaction, cartId: string): Promise<{ sessionId: string | null } | undefined> {
  const [cart] = await ctx.tx.run<{ sessionId: string | null }>(sql`
    update carts set status = 'converted', version = version + 1, updated_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${cartId} and status = 'active'
    returning session_id as "sessionId"`);
  return cart;
}

/** Whoever bought: by address, by the cart that they bought, and by the storefront's session in which they did. */
export interface Buyer {
  readonly email: string | null;
  readonly cartId: string | null;
  readonly sessionId: string | null;
}

/** A saved cart that is done with, and when its owner opened it again. */
export interface ConvertedCart {
  readonly id: string;
  readonly restoredAt: Date | null;
}

/**
 * Somebody bought: what was saved for the same address, of the same cart or in the same session is done with, and
 * nobody is to be reminded of it. Answers what was open until now: twice is once.
 */
export async function markSavedCartsConverted(ctx: InTransaction, { email, cartId, sessionId }: Buyer): Promise<ConvertedCart[]> {
  return ctx.tx.run<ConvertedCart>(sql`
    update saved_carts set converted_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and converted_at is null and (
      email = ${email && normaliseEmail(email)} or cart_id = ${cartId} or session_id = ${sessionId})
    returning id, restored_at as "restoredAt"`);
}
