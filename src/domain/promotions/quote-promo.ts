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
  /** As the store writes it, or as the caller wrote it when it is unknown. */
  readonly code: string;
  readonly discountType: DiscountType | null;
  readonly discountCents: Cents;
  /** The discount of each line, in order. They add up to `discountCents`. */
  readonly lineDiscountsCents: readonly Cents[];
  readonly freeShipping: boolean;
  readonly reason: PromoReason | null;
}

/**
 * Calculate the discount of a promo code for lines or a subtotal, without holding anything.
 *
 * Limits count uses by paid orders and holds by open checkouts, except those of the shopper's own checkout, which a new
 * one replaces; `holdPromo` enforces them. The per-customer limit is only checked when the email is known.
 */
export async function quotePromo(ctx: Context, request: PromoQuoteRequest): Promise<PromoQuote> {
  const { code, currency, customerEmail, cartId, ...basket } = request;
  const promo = await findTerms(ctx, normalisePromoCode(code), { customerEmail, cartId });
  const unusable = { valid: false, promoId: null, discountCents: 0, lineDiscountsCents: [], freeShipping: false };
  if (!promo || currency !== ctx.tenant.currency) {
    return { ...unusable, code: normalisePromoCode(code), discountType: null, reason: 'not_applicable' };
  }
  const check = checkPromo({ ...promo, currency }, basket, ctx.clock.now());
  const known = { code: promo.code, discountType: promo.type };
  return check.reason === null
    ? { valid: true, promoId: promo.id, ...known, ...check }
    : { ...unusable, ...known, reason: check.reason };
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
