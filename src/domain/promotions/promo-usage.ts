import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import type { PromoReason } from './check-promo.ts';

/** One use of a promo code: by whom, where that is known. */
export interface PromoUse {
  readonly promoId: string;
  /** The same address at the hold and at what ends it. */
  readonly customerEmail?: string | undefined;
}

/**
 * Keep one use of a promo code for an order that is not paid yet. The limits are conditions of the updates, so they
 * hold however many ask at once.
 * @throws DomainError invalid `promo_not_applicable`, with the `reason` `usage_limit` or `customer_limit`
 */
export async function holdPromo(ctx: InTransaction, { promoId, customerEmail }: PromoUse): Promise<void> {
  const [promo] = await ctx.tx.execute<{ perCustomerLimit: number | null }>(sql`
    update promo_codes set held = held + 1
    where tenant_id = ${ctx.tenant.id} and id = ${promoId} and (usage_limit is null or used + held < usage_limit)
    returning per_customer_limit as "perCustomerLimit"`);
  if (!promo) throw rejectPromo('usage_limit');
  if (customerEmail === undefined) return;

  const held = await ctx.tx.execute(sql`
    insert into promo_customers as known (tenant_id, promo_id, email, held, used)
    values (${ctx.tenant.id}, ${promoId}, ${normaliseEmail(customerEmail)}, 1, 0)
    on conflict (tenant_id, promo_id, email) do update set held = known.held + 1
      where ${promo.perCustomerLimit}::int is null or known.used + known.held < ${promo.perCustomerLimit}::int
    returning 1`);
  if (held.length === 0) throw rejectPromo('customer_limit');
}

/** The refusal of a promo code at checkout. */
export function rejectPromo(reason: PromoReason): DomainError {
  return new DomainError('invalid', 'promo_not_applicable', sentences[reason], { extensions: { reason } });
}

const sentences: Record<PromoReason, string> = {
  not_applicable: 'This promo code does not apply here.',
  expired: 'This promo code has expired.',
  minimum_not_met: 'This order is too small for the promo code.',
  usage_limit: 'This promo code has been used up.',
  customer_limit: 'You have used this promo code already.',
};

/** Give a held use back. Whoever keeps the hold sees to it that this happens once. Of an email that used none no row is left. */
export async function releasePromo(ctx: InTransaction, { promoId, customerEmail }: PromoUse): Promise<void> {
  await ctx.tx.execute(sql`
    update promo_codes set held = held - 1 where tenant_id = ${ctx.tenant.id} and id = ${promoId}`);
  if (customerEmail === undefined) return;
  const ofCustomer = sql`tenant_id = ${ctx.tenant.id} and promo_id = ${promoId} and email = ${normaliseEmail(customerEmail)}`;
  await ctx.tx.execute(sql`
    with gone as (delete from promo_customers where ${ofCustomer} and held = 1 and used = 0 returning 1)
    update promo_customers set held = held - 1 where ${ofCustomer} and not exists (select from gone)`);
}

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
