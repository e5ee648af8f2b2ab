import { normaliseEmail } from '#src/lib/email-address.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** The buyer, identified by email, cart and storefront session. */
export interface Buyer {
  readonly email: string | null;
  readonly cartId: string | null;
  /** Default: the session that the cart belongs to. */
  readonly sessionId: string | null;
  /** Only what was saved until then was bought. Default: all. */
  readonly paidAt?: Date;
}

/** A saved cart that a purchase completed, and when the shopper had restored it. */
export interface ConvertedCart {
  readonly id: string;
  readonly restoredAt: Date | null;
}

export interface Bought {
  readonly sessionId: string | null;
  /** The saved carts that were open until now. */
  readonly savedCarts: readonly ConvertedCart[];
}

/**
 * Record a purchase on its carts: the cart becomes read-only, and saved carts with the same email, cart or session are
 * marked as converted. One statement, idempotent.
 */
export async function markBought(ctx: InTransaction, { email, cartId, sessionId, paidAt }: Buyer): Promise<Bought> {
  const now = ctx.clock.now();
  const rows = await ctx.tx.execute<{ sessionId: string | null; id: string | null; restoredAt: Date | null }>(sql`
    with bought as (
      update carts set status = 'converted', version = version + 1, updated_at = ${now}
      where tenant_id = ${ctx.tenant.id} and id = ${cartId} and status = 'active'
      returning session_id),
    visit as materialized (select coalesce(${sessionId}, (select session_id from bought)) as session_id),
    done as (
      update saved_carts set converted_at = ${now}
      where tenant_id = ${ctx.tenant.id} and converted_at is null
        and saved_at <= coalesce(${paidAt ?? null}::timestamptz, 'infinity') and (
        email = ${email && normaliseEmail(email)} or cart_id = ${cartId} or session_id = (select session_id from visit))
      returning id, restored_at)
    select visit.session_id as "sessionId", done.id, done.restored_at as "restoredAt"
    from visit left join done on true`);
  return {
    sessionId: rows[0]?.sessionId ?? null,
    savedCarts: rows.flatMap(({ id, restoredAt }) => (id === null ? [] : [{ id, restoredAt }])),
  };
}
