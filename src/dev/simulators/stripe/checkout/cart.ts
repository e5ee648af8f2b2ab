import { changedMetadata } from '../api/check-metadata.ts';
import { missing } from '../api/error.ts';
import { reductionOf } from '../catalogue/coupon.ts';
import { amountOf, createInlinePrice } from '../catalogue/price.ts';
import { spread } from '../money.ts';
import type { Account } from '../state/account.ts';
import type { Coupon, LineItem, Price } from '../state/objects.ts';
import type { LineItemParams, SessionParams } from '../state/session-params.ts';

export interface CartLines {
  readonly lines: readonly LineItem[];
  readonly subtotal: number;
  readonly discount: number;
}

/** The lines of a new session, priced: inline data becomes products and prices of the account. */
export function cartLines(account: Account, params: SessionParams, coupon: Coupon | null): CartLines {
  const wanted = (params.line_items ?? []).map((line) => ({
    line,
    price: priceOf(account, line),
    quantity: line.quantity ?? 1,
  }));
  const totals = calculateTotals(account, wanted, coupon, startsWithTrial(params));
  const lines = wanted.map(({ line, price, quantity }, index): LineItem => {
    const { subtotal, discount } = totals.lines[index] ?? { subtotal: 0, discount: 0 };
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
  return { lines, subtotal: totals.subtotal, discount: totals.discount };
}

function priceOf(account: Account, { price, price_data: data }: LineItemParams): Price {
  if (price !== undefined) return account.prices.need(price, 'line_items[0][price]');
  if (!data) throw missing('line_items[0][price_data]');
  return createInlinePrice(account, data);
}

function startsWithTrial({ subscription_data: data }: SessionParams): boolean {
  return data?.trial_end !== undefined || data?.trial_period_days !== undefined;
}

interface CartTotals {
  readonly subtotal: number;
  readonly discount: number;
  readonly lines: readonly { readonly subtotal: number; readonly discount: number }[];
}

/**
 * The totals of a cart's lines today. A coupon is capped at the subtotal of the products that
 * it applies to, and shared among them; recurring lines cost nothing while a trial lasts.
 */
function calculateTotals(
  account: Account,
  lines: readonly { readonly price: Price; readonly quantity: number }[],
  coupon: Coupon | null,
  trial: boolean,
): CartTotals {
  const subtotals = lines.map(({ price, quantity }) => (trial && price.recurring ? 0 : amountOf(price, quantity)));
  const only = coupon && account.couponProducts.get(coupon);
  const eligible = subtotals.map((subtotal, index) => {
    const product = lines[index]?.price.product ?? '';
    return coupon && (!only || only.includes(product)) ? subtotal : 0;
  });
  const discount = coupon ? reductionOf(coupon, sum(eligible)) : 0;
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
