import type { Context } from '../../context.ts';
import type { OrderMailData, PostalAddress } from '../kinds.ts';
import type { Block, Fact } from '../letter/letter.ts';
import { money } from './template.ts';

/** What was bought, before the discount: that is a line of its own among the totals. */
export function itemLines(ctx: Context, { items, currency }: OrderMailData, options: { prices: boolean }): Block {
  return {
    kind: 'lines',
    lines: items.map(({ name, quantity, unit_price_cents }) => ({
      name,
      detail: quantity === 1 ? null : `Quantity ${quantity}`,
      amount: options.prices ? money(ctx, unit_price_cents * quantity, currency) : null,
    })),
  };
}

export function orderTotals(ctx: Context, order: OrderMailData): Block {
  const amount = (cents: number) => money(ctx, cents, order.currency);
  const off = (cents: number) => `\u2212${amount(cents)}`;
  return {
    kind: 'totals',
    lines: [
      { label: 'Subtotal', amount: amount(order.subtotal_cents) },
      ...(order.discount_cents > 0 ? [{ label: 'Discount', amount: off(order.discount_cents) }] : []),
      ...(order.gift_card_cents > 0 ? [{ label: 'Gift card', amount: off(order.gift_card_cents) }] : []),
      ...(order.shipping_cents > 0 ? [{ label: 'Shipping', amount: amount(order.shipping_cents) }] : []),
      ...(order.tax_cents > 0 ? [{ label: 'Tax', amount: amount(order.tax_cents) }] : []),
      { label: 'Total', amount: amount(order.total_cents), strong: true },
    ],
  };
}

export function addressFact(label: string, address: PostalAddress): Fact {
  const town = [[address.city, address.state].filter(Boolean).join(', '), address.zip].filter(Boolean).join(' ');
  const values = [address.name, address.street1, address.street2, town, address.country];
  return { label, values: values.filter((line): line is string => Boolean(line)) };
}
