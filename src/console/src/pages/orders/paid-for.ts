import { chargeStepOf } from '../../../../lib/currency.ts';

/** An order as the API shows it. */
interface PaidOrder {
  readonly currency: string;
  readonly subtotal_cents: number;
  readonly discount_cents: number;
  readonly gift_card_cents: number;
  readonly shipping_cents: number;
  readonly total_cents: number;
}

/**
 * What was paid for some items of an order, as a return of them refunds it: including tax that was added to their
 * prices, and excluding shipping.
 */
export function paidFor(order: PaidOrder, items: readonly { readonly total_cents: number }[]): number {
  const price = order.subtotal_cents - order.discount_cents;
  if (price === 0) return 0;
  const paid = order.total_cents - order.shipping_cents + order.gift_card_cents;
  const chosen = items.reduce((sum, { total_cents }) => sum + total_cents, 0);
  const step = chargeStepOf(order.currency);
  return Math.floor((chosen * paid) / price / step) * step;
}
