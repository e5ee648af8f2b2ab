import { chargeStepOf } from '#src/lib/currency.ts';
import { type Cents, floorTo, percentOf, spread } from '#src/lib/money.ts';
import type { DiscountType } from './promo-code.ts';

/** Why a promo code cannot be used for a purchase. */
export const promoReasons = ['not_applicable', 'expired', 'minimum_not_met', 'usage_limit', 'customer_limit'] as const;
export type PromoReason = (typeof promoReasons)[number];

/** What the code is applied to: the lines of an order, or a subtotal, which counts as one eligible line. */
export type Basket =
  | { readonly lines: readonly { readonly productSlug: string; readonly totalCents: Cents }[] }
  | { readonly subtotalCents: Cents };

/** How a discount is calculated. */
interface DiscountTerms {
  /** The store's currency. Discounts are rounded to an amount that the payment provider can charge. */
  readonly currency: string;
  readonly type: DiscountType;
  readonly percent: number | null;
  readonly valueCents: Cents | null;
}

/** The terms and the usage of a promo code. */
export interface PromoTerms extends DiscountTerms {
  readonly minSubtotalCents: Cents;
  readonly usageLimit: number | null;
  readonly perCustomerLimit: number | null;
  readonly products: readonly string[];
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  /** Uses by paid orders and holds by open checkouts, in all and of this customer. */
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

/**
 * Check whether a promo code applies to a basket, and calculate its discount: at most the total of the eligible lines.
 */
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

  return { reason: null, ...calculateDiscount(promo, eligible) };
}

/** Calculate the discount on these totals of lines, and spread it over them. */
export function calculateDiscount(terms: DiscountTerms, lineTotalsCents: readonly Cents[]): Discount {
  const discountCents = discountOn(terms, sum(lineTotalsCents));
  return {
    discountCents,
    lineDiscountsCents: spread(discountCents, lineTotalsCents, chargeStepOf(terms.currency)),
    freeShipping: terms.type === 'free_shipping',
  };
}

function discountOn({ type, percent, valueCents, currency }: DiscountTerms, eligibleCents: Cents): Cents {
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
