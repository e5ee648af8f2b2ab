import { Cents, Currency, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import type { ManagedGiftCard, ManagedPromo } from './managed-promotions.ts';

const count = Type.Integer({ examples: [0] });

/** A promo code as the owner sees it. Sending it back unchanged changes nothing. */
export const PromoCodeView = Type.Object(
  {
    id: Id('promo'),
    code: Type.String({ examples: ['WELCOME10'] }),
    type: Type.Enum(['percent', 'fixed', 'free_shipping']),
    value: Nullable(Type.Number({ examples: [10] })),
    value_cents: Nullable(Cents),
    min_subtotal_cents: Cents,
    usage_limit: Nullable(Type.Integer({ examples: [100] })),
    per_customer_limit: Nullable(Type.Integer({ examples: [1] })),
    starts_at: Nullable(Timestamp),
    ends_at: Nullable(Timestamp),
    products: Type.Array(Type.String({ examples: ['oak-bowl'] })),
    /** By open checkouts. */
    held: count,
    /** By paid orders. */
    used: count,
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'PromoCode' },
);

export function presentPromo(promo: ManagedPromo): Static<typeof PromoCodeView> {
  return {
    id: promo.id,
    code: promo.code,
    type: promo.type,
    value: promo.percent,
    value_cents: promo.valueCents,
    min_subtotal_cents: promo.minSubtotalCents,
    usage_limit: promo.usageLimit,
    per_customer_limit: promo.perCustomerLimit,
    starts_at: promo.startsAt?.toISOString() ?? null,
    ends_at: promo.endsAt?.toISOString() ?? null,
    products: [...promo.products],
    held: promo.held,
    used: promo.used,
    version: promo.version,
    created_at: promo.createdAt.toISOString(),
    updated_at: promo.updatedAt.toISOString(),
  };
}

/** A gift card as the owner sees it, without its code. */
export const GiftCardView = Type.Object(
  {
    id: Id('gift'),
    last4: Type.String({ examples: ['NPQR'] }),
    currency: Currency,
    balance_cents: Cents,
    /** What open checkouts hold of the balance. */
    held_cents: Cents,
    disabled_at: Nullable(Timestamp),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'GiftCard' },
);

export function presentGiftCard(card: ManagedGiftCard): Static<typeof GiftCardView> {
  return {
    id: card.id,
    last4: card.last4,
    currency: card.currency,
    balance_cents: card.balanceCents,
    held_cents: card.heldCents,
    disabled_at: card.disabledAt?.toISOString() ?? null,
    version: card.version,
    created_at: card.createdAt.toISOString(),
  };
}
