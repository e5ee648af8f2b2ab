import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import type { PromoUse } from './hold-promo.ts';

export interface PromoRedemption extends PromoUse {
  readonly orderId: string;
  /** The address that paid, which counts as a use too: a guest's checkout knew none, and another may have been given. */
  readonly paidBy?: string | undefined;
  /**
   * Whether the order still holds its use; the default. `false` for a payment that came after the hold was released:
   * what was paid for counts, even beyond the limit.
   */
  readonly isHeld?: boolean;
}

/** A paid order has used the code. Once per order, however often it is told. */
export async function redeemPromo(
  ctx: InTransaction,
  { promoId, customerEmail, paidBy, orderId, isHeld = true }: PromoRedemption,
): Promise<void> {
  const [email = null, ...others] = new Set(
    [customerEmail, paidBy].flatMap((address) => (address ? [normaliseEmail(address)] : [])),
  );
  const held = isHeld ? 1 : 0;
  const redeemed = await ctx.tx.execute(sql`
    insert into promo_redemptions (tenant_id, promo_id, order_id, email, redeemed_at)
    values (${ctx.tenant.id}, ${promoId}, ${orderId}, ${email}, ${ctx.clock.now()})
    on conflict do nothing returning 1`);
  if (redeemed.length === 0) return;

  await ctx.tx.execute(sql`
    update promo_codes set held = held - ${held}::int, used = used + 1
    where tenant_id = ${ctx.tenant.id} and id = ${promoId}`);
  if (email === null) return;
  // Only the address that the checkout was given holds anything. In the order of the addresses, as everybody locks them.
  await ctx.tx.execute(sql`
    insert into promo_customers as known (tenant_id, promo_id, email, held, used)
    select ${ctx.tenant.id}, ${promoId}, address, 0, 1 from unnest(${[email, ...others]}::text[]) as address order by address
    on conflict (tenant_id, promo_id, email) do update set used = known.used + 1,
      held = greatest(known.held - case when known.email = ${customerEmail ? email : null} then ${held}::int else 0 end, 0)`);
}
