import type { Cents } from './money.ts';

/** The amounts of an order, in the words of the API. */
interface Amounts {
  readonly subtotal_cents: Cents;
  readonly discount_cents: Cents;
  readonly gift_card_cents: Cents;
  readonly shipping_cents: Cents;
  readonly tax_cents: Cents;
  readonly total_cents: Cents;
}

/**
 * What of a total is neither goods nor shipping. Prices may include the tax, which is not added to them then. The
 * adjustment is what the payment differed by, such as what a credit of the customer at the payment provider paid.
 */
export function restOfTotal(order: Amounts): { readonly isTaxIncluded: boolean; readonly adjustmentCents: Cents } {
  const { subtotal_cents, discount_cents, gift_card_cents, shipping_cents, tax_cents, total_cents } = order;
  const rest = total_cents - (subtotal_cents - discount_cents - gift_card_cents + shipping_cents);
  const isTaxIncluded = rest === 0;
  return { isTaxIncluded, adjustmentCents: isTaxIncluded ? 0 : rest - tax_cents };
}
