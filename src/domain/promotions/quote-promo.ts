import { readOne } from '#src/database/transact.ts';
import type { Cents } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { type Basket, checkPromo, type PromoReason, type PromoTerms } from './check-promo.ts';
import { type Holder, ownHolds } from './own-holds.ts';
import { type DiscountType, normalisePromoCode } from './promo-code.ts';

export type PromoQuoteRequest = Basket &
  Holder & {
    readonly code: string;
    readonly currency: string;
  };

/** What a promo code would do for a purchase. */
export interface PromoQuote {
  readonly valid: boolean;
  readonly promoId: string | null;
  /** As the store writes it, or as it was given where there is none like it. */
  readonly code: string;
  readonly discountType: DiscountType | null;
  readonly discountCents: Cents;
  /** The discount of each line that was given, in order: they add up to `discountCents`. */
  readonly lineDiscountsCents: readonly Cents[];
  readonly freeShipping: boolean;
  readonly reason: PromoReason | null;
}

/**
 * What a promo code is worth for these lines, or this subtotal; nothing is held or changed.
 *
 * Limits count what paid orders used and what open checkouts hold, but for the shopper's own, which a new one replaces;
 * `holdPromo` keeps them. A per-customer limit is checked where the customer is known.
 */
export async function quotePromo(ctx: Context, asked: PromoQuoteRequest): Promise<PromoQuote> {
  const { code, currency, customerEmail, cartId, ...basket } = asked;
  const promo = await findTerms(ctx, normalisePromoCode(code), { customerEmail, cartId });
  const unusable = { valid: false, promoId: null, discountCents: 0, lineDiscountsCents: [], freeShipping: false };
  if (!promo || currency !== ctx.tenant.currency) {
    return { ...unusable, code: normalisePromoCode(code), discountType: null, reason: 'not_applicable' };
  }
  const judgement = checkPromo({ ...promo, currency }, basket, ctx.clock.now());
  const known = { code: promo.code, discountType: promo.type };
  return judgement.reason === null
    ? { valid: true, promoId: promo.id, ...known, ...judgement }
    : { ...unusable, ...known, reason: judgement.reason };
}

interface FoundPromo extends Omit<PromoTerms, 'currency'> {
  readonly id: string;
  readonly code: string;
}

async function findTerms(ctx: Context, code: string, holder: Holder): Promise<FoundPromo | undefined> {
  const email = normaliseEmail(holder.customerEmail ?? '');
  return readOne<FoundPromo>(
    ctx,
    sql`
    select p.id, p.code, p.type, p.percent::float8 as percent, p.value_cents as "valueCents",
      p.min_subtotal_cents as "minSubtotalCents", p.usage_limit as "usageLimit",
      p.per_customer_limit as "perCustomerLimit", p.products, p.starts_at as "startsAt", p.ends_at as "endsAt",
      p.used + p.held - own.uses as used, coalesce(c.used + c.held, 0) - own."usesOfEmail" as "usedByCustomer"
    from promo_codes p cross join lateral (${ownHolds(ctx, holder, sql`p.id`)}) as own
    left join promo_customers c on c.tenant_id = ${ctx.tenant.id} and c.promo_id = p.id and c.email = ${email}
    where p.tenant_id = ${ctx.tenant.id} and p.code = ${code} and p.removed_at is null`,
  );
}
