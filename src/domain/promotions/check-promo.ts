import { chargeStepOf } from '#src/lib/currency.ts';
import { type Cents, floorTo, percentOf, spread } from '#src/lib/money.ts';
import type { DiscountType } from './promo-code.ts';

/** Why a promo code is of no use to this purchase. */
export const promoReasons = ['not_applicable', 'expired', 'minimum_not_met', 'usage_limit', 'customer_limit'] as const;
export type PromoReason = (typeof promoReasons)[number];

/** What the code is asked for: the lines of an order, or a subtotal that counts as one line of a product it is for. */
export type Basket =
  | { readonly lines: readonly { readonly productSlug: string; readonly totalCents: Cents }[] }
  | { readonly subtotalCents: Cents };

/** What of a promo code decides. */
export interface PromoTerms {
  /** Of the store. Discounts are amounts that the payment provider takes. */
  readonly currency: string;
  readonly type: DiscountType;
  readonly percent: number | null;
  readonly valueCents: Cents | null;
  readonly minSubtotalCents: Cents;
  readonly usageLimit: number | null;
  readonly perCustomerLimit: number | null;
  readonly products: readonly string[];
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  /** Paid orders that used it and open checkouts that hold a use, and those of this customer. */
  readonly used: number;
  readonly usedByCustomer: number;
}

export interface Discount {
  readonly discountCents: Cents;
  /** The discount of each line of the basket, in order: they add up to `discountCents`. */
  readonly lineDiscountsCents: readonly Cents[];
  readonly freeShipping: boolean;
}

export type PromoCheck = ({ readonly reason: null } & Discount) | { readonly reason: PromoReason };

/** Whether a promo code is good for a basket, and what it takes off: never more than the lines that it is for cost. */
export function checkPromo(promo: PromoTerms, basket: Basket, now: Date): PromoCheck {
  const totals = 'lines' in basket ? basket.lines.map(({ totalCents }) => totalCents) : [basket.subtotalCents];
  const eligible =
    'lines' in basket ? basket.lines.map((line) => (isFor(promo, line.productSlug) ? line.totalCents : 0)) : totals;
  const eligibleCents = sum(eligible);

  if (promo.startsAt && now < promo.startsAt) return { reason: 'not_applicable' };
  if (promo.endsAt && now >= promo.endsAt) return { reason: 'expired' };
  if (eligibleCents === 0) return { reason: 'not_applicable' };
  if (sum(totals) < promo.minSubtotalCents) return { reason: 'minimum_not_met' };
  if (promo.usageLimit !== null && promo.used >= promo.usageLimit) return { reason: 'usage_limit' };
  if (promo.perCustomerLimit !== null && promo.usedByCustomer >= promo.perCustomerLimit) {
    return { reason: 'customer_limit' };
  }

  const discountCents = discountOn(promo, eligibleCents);
  return {
    reason: null,
    discountCents,
    lineDiscountsCents: spread(discountCents, eligible, chargeStepOf(promo.currency)),
    freeShipping: promo.type === 'free_shipping',
  };
}

function discountOn({ type, percent, valueCents, currency }: PromoTerms, eligibleCents: Cents): Cents {
  const step = chargeStepOf(currency);
  switch (type) {
    case 'percent':
      return Math.min(percentOf(eligibleCents, percent ?? 0, step), floorTo(eligibleCents, step));
    case 'fixed':
      return floorTo(Math.min(valueCents ?? 0, eligibleCents), step);
    case 'free_shipping':
      return 0;
  }
}

function isFor({ products }: PromoTerms, productSlug: string): boolean {
  return products.length === 0 || products.includes(productSlug);
}

const sum = (amounts: readonly Cents[]) => amounts.reduce((total, amount) => total + amount, 0);
