import type { OrderFile } from '@storefront-commerce/client';

import { chargeStepOf } from '../../../../lib/currency.ts';

type Sums = 'currency' | 'subtotal_cents' | 'discount_cents' | 'gift_card_cents' | 'shipping_cents' | 'total_cents';

/**
 * What was paid for some items of an order, as a return of them refunds it: including tax that was added to their
 * prices, and excluding shipping.
 */
export function paidFor(
  order: Pick<OrderFile, Sums>,
  items: readonly Pick<OrderFile['items'][number], 'total_cents'>[],
): number {
  const price = order.subtotal_cents - order.discount_cents;
  if (price === 0) return 0;
  const paid = order.total_cents - order.shipping_cents + order.gift_card_cents;
  const chosen = items.reduce((sum, { total_cents }) => sum + total_cents, 0);
  const step = chargeStepOf(order.currency);
  return Math.floor((chosen * paid) / price / step) * step;
}
