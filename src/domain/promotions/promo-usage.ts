import { normaliseEmail } from '#src/lib/email-address.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { PromoReason } from './check-promo.ts';

/** One use of a promo code, with the customer's email if it is known. */
export interface PromoUse {
  readonly promoId: string;
  /** Must be the same when the use is held and when it is released or redeemed. */
  readonly customerEmail?: string | null | undefined;
}

/**
 * Hold one use of a promo code for an order that is not paid yet. The limits are conditions of the updates, so
 * concurrent holds cannot exceed them.
 * @throws DomainError invalid `promo_not_applicable`, with the `reason` `usage_limit` or `customer_limit`
 */
export async function holdPromo(ctx: InTransaction, { promoId, customerEmail }: PromoUse): Promise<void> {
  const [promo] = await ctx.tx.execute<{ perCustomerLimit: number | null }>(sql`
    update promo_codes set held = held + 1
    where tenant_id = ${ctx.tenant.id} and id = ${promoId} and (usage_limit is null or used + held < usage_limit)
    returning per_customer_limit as "perCustomerLimit"`);
  if (!promo) throw rejectPromo('usage_limit');
  if (!customerEmail) return;

  const held = await ctx.tx.execute(sql`
    insert into promo_customers as known (tenant_id, promo_id, email, held, used)
    values (${ctx.tenant.id}, ${promoId}, ${normaliseEmail(customerEmail)}, 1, 0)
    on conflict (tenant_id, promo_id, email) do update set held = known.held + 1
      where ${promo.perCustomerLimit}::int is null or known.used + known.held < ${promo.perCustomerLimit}::int
    returning 1`);
  if (held.length === 0) throw rejectPromo('customer_limit');
}

/** @returns the error for a promo code that a checkout cannot use */
export function rejectPromo(reason: PromoReason): DomainError {
  return new DomainError('invalid', 'promo_not_applicable', messages[reason], { extensions: { reason } });
}

const messages: Record<PromoReason, string> = {
  not_applicable: 'This promo code does not apply here.',
  expired: 'This promo code has expired.',
  minimum_not_met: 'This order is too small for the promo code.',
  usage_limit: 'This promo code has been used up.',
  customer_limit: 'You have used this promo code already, or a checkout that you have not finished holds it.',
};

/**
 * Release a held use. The caller makes sure that each hold is released once. The row of an email without any other use
 * is deleted, so that no personal data is left.
 */
export async function releasePromo(ctx: InTransaction, { promoId, customerEmail }: PromoUse): Promise<void> {
  await ctx.tx.execute(sql`
    update promo_codes set held = held - 1 where tenant_id = ${ctx.tenant.id} and id = ${promoId}`);
  if (!customerEmail) return;
  const email = normaliseEmail(customerEmail);
  const ofCustomer = sql`tenant_id = ${ctx.tenant.id} and promo_id = ${promoId} and email = ${email}`;
  await ctx.tx.execute(sql`
    with gone as (delete from promo_customers where ${ofCustomer} and held = 1 and used = 0 returning 1)
    update promo_customers set held = held - 1 where ${ofCustomer} and not exists (select from gone)`);
}

export interface PromoRedemption extends PromoUse {
  readonly orderId: string;
  /** The email of the payment, which counts as a use too: a guest checkout has no other, and the two may differ. */
  readonly paidBy?: string | undefined;
  /**
   * Whether the order still holds its use. Default true. `false` for a payment that arrived after the hold was
   * released: it counts as a use even beyond the limit.
   */
  readonly isHeld?: boolean;
}

/** Count a paid order as a use of its promo code. Idempotent for each order. */
export async function redeemPromo(
  ctx: InTransaction,
  { promoId, customerEmail, paidBy, orderId, isHeld = true }: PromoRedemption,
): Promise<void> {
  const [email = null, ...others] = new Set(
    [customerEmail, paidBy].flatMap((email) => (email ? [normaliseEmail(email)] : [])),
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
  // Only the email that the checkout was given has a hold. Rows are always locked in the order of the emails, so that
  // concurrent redemptions cannot deadlock.
  await ctx.tx.execute(sql`
    insert into promo_customers as known (tenant_id, promo_id, email, held, used)
    select ${ctx.tenant.id}, ${promoId}, given, 0, 1 from unnest(${[email, ...others]}::text[]) as given order by given
    on conflict (tenant_id, promo_id, email) do update set used = known.used + 1,
      held = greatest(
        known.held - case when known.email = ${customerEmail ? email : null} then ${held}::int else 0 end, 0)`);
}
