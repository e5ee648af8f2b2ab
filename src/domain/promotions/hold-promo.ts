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
