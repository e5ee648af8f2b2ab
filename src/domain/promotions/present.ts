import { Nullable, type Static, Type } from '#src/lib/schema.ts';
import { promoReasons } from './check-promo.ts';
import { giftCardReasons } from './gift-card-balance.ts';
import type { GiftCardQuote, PromoQuote } from './quotes.ts';

const amount = Type.Integer({ examples: [500] });

/** The effect of a promo code on a cart. */
export const PromoQuoteView = Type.Object(
  {
    valid: Type.Boolean(),
    code: Type.String({ examples: ['WELCOME10'] }),
    discountType: Nullable(Type.Union([Type.Literal('percent'), Type.Literal('fixed'), Type.Literal('free_shipping')])),
    discountCents: amount,
    subtotalCents: amount,
    totalAfterDiscountCents: amount,
    reason: Nullable(Type.Enum([...promoReasons])),
  },
  { title: 'PromoQuote' },
);

/** What a gift card would pay of an order. `balanceCents` is only shown to callers with a secret key. */
export const GiftCardQuoteView = Type.Object(
  {
    valid: Type.Boolean(),
    last4: Nullable(Type.String({ examples: ['NPQR'] })),
    currency: Nullable(Type.String({ examples: ['USD'] })),
    appliedCents: amount,
    remainingDueCents: amount,
    reason: Nullable(Type.Enum([...giftCardReasons])),
    balanceCents: Type.Optional(amount),
  },
  { title: 'GiftCardQuote' },
);

export function presentPromoQuote(quote: PromoQuote, subtotalCents: number): Static<typeof PromoQuoteView> {
  const { valid, code, discountType, discountCents, reason } = quote;
  const totalAfterDiscountCents = Math.max(0, subtotalCents - discountCents);
  return { valid, code, discountType, discountCents, subtotalCents, totalAfterDiscountCents, reason };
}

export function presentGiftCardQuote(
  quote: GiftCardQuote,
  options: { withBalance: boolean },
): Static<typeof GiftCardQuoteView> {
  const { valid, last4, currency, appliedCents, remainingDueCents, reason, balanceCents } = quote;
  return {
    valid,
    last4,
    currency,
    appliedCents,
    remainingDueCents,
    reason,
    ...(options.withBalance && { balanceCents }),
  };
}
