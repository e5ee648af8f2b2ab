import type { Account } from '../account.ts';
import { createInlinePrice, type Price } from '../objects/catalogue.ts';
import type { Reduction } from '../objects/coupon.ts';
import type { LineItem } from '../objects/session.ts';
import type { LineItemParams, SessionParams } from '../objects/session-params.ts';
import { changedMetadata } from '../wire/check-metadata.ts';
import { missing } from '../wire/refusal.ts';
import { reckon } from './reckon.ts';

export interface CartLines {
  readonly lines: readonly LineItem[];
  readonly subtotal: number;
  readonly discount: number;
}

/** The lines of a new session, priced: inline data becomes products and prices of the account. */
export function cartLines(account: Account, params: SessionParams, reduction: Reduction | null): CartLines {
  const wanted = (params.line_items ?? []).map((line) => ({
    line,
    price: priceOf(account, line),
    quantity: line.quantity ?? 1,
  }));
  const reckoned = reckon(wanted, reduction, startsWithTrial(params));
  const lines = wanted.map(({ line, price, quantity }, index): LineItem => {
    const { subtotal, discount } = reckoned.lines[index] ?? { subtotal: 0, discount: 0 };
    return {
      id: account.mint('li', 14),
      object: 'item',
      adjustable_quantity: line.adjustable_quantity
        ? { enabled: false, maximum: null, minimum: null, ...line.adjustable_quantity }
        : null,
      amount_discount: discount,
      amount_subtotal: subtotal,
      amount_tax: 0,
      amount_total: subtotal - discount,
      currency: price.currency,
      description: account.products.get(price.product)?.name ?? '',
      metadata: changedMetadata({}, line.metadata),
      price,
      quantity,
    };
  });
  return { lines, subtotal: reckoned.subtotal, discount: reckoned.discount };
}

function priceOf(account: Account, { price, price_data: data }: LineItemParams): Price {
  if (price !== undefined) return account.prices.need(price, 'line_items[0][price]');
  if (!data) throw missing('line_items[0][price_data]');
  return createInlinePrice(account, data);
}

function startsWithTrial({ subscription_data: data }: SessionParams): boolean {
  return data?.trial_end !== undefined || data?.trial_period_days !== undefined;
}
