import { spread } from '../money.ts';
import { amountOf, type Price } from '../objects/catalogue.ts';
import { couponProducts, type Reduction, reductionOf } from '../objects/coupon.ts';

export interface Reckoned {
  readonly subtotal: number;
  readonly discount: number;
  readonly lines: readonly { readonly subtotal: number; readonly discount: number }[];
}

/**
 * What the lines of a cart come to today. A coupon is capped at the subtotal of the products that
 * it applies to, and shared among them; recurring lines cost nothing while a trial lasts.
 */
export function reckon(
  lines: readonly { readonly price: Price; readonly quantity: number }[],
  reduction: Reduction | null,
  trial = false,
): Reckoned {
  const subtotals = lines.map(({ price, quantity }) => (trial && price.recurring ? 0 : amountOf(price, quantity)));
  const only = reduction && couponProducts.get(reduction.coupon);
  const eligible = subtotals.map((subtotal, index) => {
    const product = lines[index]?.price.product ?? '';
    return reduction && (!only || only.includes(product)) ? subtotal : 0;
  });
  const discount = reduction ? reductionOf(reduction.coupon, sum(eligible)) : 0;
  const shares = spread(discount, eligible);
  return {
    subtotal: sum(subtotals),
    discount,
    lines: subtotals.map((subtotal, index) => ({ subtotal, discount: shares[index] ?? 0 })),
  };
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
