import { readOne } from '#src/database/transact.ts';
import { chargeStepOf } from '#src/lib/currency.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { type Cents, floorTo } from '#src/lib/money.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { checkoutSubjectOf } from '../customers/index.ts';
import { type Basket, checkPromo, type PromoReason, type PromoTerms } from './check-promo.ts';
import { hashGiftCardCode } from './gift-card.ts';
import type { GiftCardReason } from './gift-card-balance.ts';
import { type DiscountType, normalisePromoCode } from './promo-code.ts';

/** The shopper who requests a quote, as far as known. */
export interface Holder {
  readonly customerEmail?: string | undefined;
  readonly cartId?: string | null | undefined;
}

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
    { brief: true },
  );
}

/** What a gift card would pay of an order. */
export interface GiftCardQuote {
  readonly valid: boolean;
  readonly giftCardId: string | null;
  readonly last4: string | null;
  readonly currency: string | null;
  readonly balanceCents: Cents;
  readonly appliedCents: Cents;
  readonly remainingDueCents: Cents;
  readonly reason: GiftCardReason | null;
}

/**
 * Calculate what the card with this code would pay of an order, without holding anything. An unknown card and a
 * disabled one give the same result. Amounts held by open checkouts are not available, except those of the shopper's
 * own checkout, which a new one replaces.
 */
export async function quoteGiftCard(
  ctx: Context,
  { code, orderTotalCents, ...holder }: Holder & { readonly code: string; readonly orderTotalCents: Cents },
): Promise<GiftCardQuote> {
  const card = await readOne<{ id: string; last4: string; currency: string; balanceCents: Cents; freeCents: Cents }>(
    ctx,
    sql`
    select id, last4, currency, balance_cents as "balanceCents", balance_cents - held_cents + own.cents as "freeCents"
    from gift_cards g cross join lateral (${ownHolds(ctx, holder, sql`g.id`)}) as own
    where tenant_id = ${ctx.tenant.id} and code_hash = ${hashGiftCardCode(ctx, code)} and disabled_at is null`,
    { brief: true },
  );
  if (!card || card.currency !== ctx.tenant.currency) {
    return {
      valid: false,
      giftCardId: null,
      last4: null,
      currency: null,
      balanceCents: 0,
      appliedCents: 0,
      remainingDueCents: orderTotalCents,
      reason: 'not_applicable',
    };
  }
  const { id: giftCardId, last4, currency, balanceCents, freeCents } = card;
  const step = chargeStepOf(currency);
  const appliedCents = freeCents >= orderTotalCents ? orderTotalCents : floorTo(freeCents, step);
  const reason = balanceCents < step ? 'empty' : freeCents < step ? 'in_use' : null;
  return {
    valid: reason === null,
    giftCardId,
    last4,
    currency,
    balanceCents,
    appliedCents,
    remainingDueCents: orderTotalCents - appliedCents,
    reason,
  };
}

/**
 * A query for what the shopper's own open checkouts hold of a promotion: `uses`, `usesOfEmail` (those with the
 * shopper's email) and `cents`. A new checkout replaces them, so they must not count against it.
 */
function ownHolds(ctx: Context, { customerEmail, cartId }: Holder, promotionId: Sql): Sql {
  const email = customerEmail ? normaliseEmail(customerEmail) : null;
  return sql`
    select count(*)::int as uses, (count(*) filter (where h.customer_email = ${email}))::int as "usesOfEmail",
      coalesce(sum(h.amount_cents), 0)::int8 as cents
    from payment_sessions s join holds h on h.tenant_id = s.tenant_id and h.order_id = s.order_id
    where s.tenant_id = ${ctx.tenant.id} and s.state in ('creating', 'open') and s.superseded_at is null
      and (s.subject = ${checkoutSubjectOf({ cartId, email })} or s.subscriber = ${email})
      and h.state = 'held' and h.subject_id = ${promotionId}`;
}
