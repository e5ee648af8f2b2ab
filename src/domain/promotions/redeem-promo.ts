import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import type { PromoUse } from './hold-promo.ts';

export interface PromoRedemption extends PromoUse {
  readonly orderId: string;
  /**
   * Whether the order still holds its use; the default. `false` for a payment that came after the hold was released:
   * what was paid for counts, even beyond the limit.
   */
  readonly isHeld?: boolean;
}

/** A paid order has used the code. Once per order, however often it is told. */
export async function redeemPromo(
  ctx: InTransaction,
  { promoId, customerEmail, orderId, isHeld = true }: PromoRedemption,
): Promise<void> {
  const email = customerEmail === undefined ? null : normaliseEmail(customerEmail);
  const held = isHeld ? 1 : 0;
  const redeemed = await ctx.tx.run(sql`
    insert into promo_redemptions (tenant_id, promo_id, order_id, email, redeemed_at)
    values (${ctx.tenant.id}, ${promoId}, ${orderId}, ${email}, ${ctx.clock.now()})
    on conflict do nothing returning 1`);
  if (redeemed.length === 0) return;

  await ctx.tx.run(sql`
    update promo_codes set held = held - ${held}::int, used = used + 1
    where tenant_id = ${ctx.tenant.id} and id = ${promoId}`);
  if (email === null) return;
  // A guest's hold knows no address: then there is nothing of this customer's to take back.
  await ctx.tx.run(sql`
    insert into promo_customers as known (tenant_id, promo_id, email, held, used)
    values (${ctx.tenant.id}, ${promoId}, ${email}, 0, 1)
    on conflict (tenant_id, promo_id, email) do update
      set held = greatest(known.held - ${held}::int, 0), used = known.used + 1`);
}
