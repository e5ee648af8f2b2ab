import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';

/** A paid order came of this cart: it can be read, and not changed any more. Twice is once. */
export async function markCartConverted(ctx: InTransaction, cartId: string): Promise<void> {
  await ctx.tx.run(sql`
    update carts set status = 'converted', version = version + 1, updated_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${cartId} and status = 'active'`);
}

/** Somebody bought: what was saved for this address is done with, and nobody is reminded of it. Twice is once. */
export async function markSavedCartsConverted(ctx: InTransaction, email: string): Promise<void> {
  await ctx.tx.run(sql`
    update saved_carts set converted_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and email = ${normaliseEmail(email)} and converted_at is null`);
}
