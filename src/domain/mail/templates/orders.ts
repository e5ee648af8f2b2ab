import { restOfTotal } from '#src/lib/total.ts';
import type { Context } from '../../context.ts';
import type { ShopperAddress } from '../../ports/payment-snapshots.ts';
import type { OrderMailData } from '../kinds.ts';
import type { Block, Fact } from '../layout/document.ts';
import { refundFacts } from './refund-facts.ts';
import { itemDetail, money, type Template } from './template.ts';

export const receipt: Template<'receipt'> = (ctx, { data: order }) => ({
  subject: `Your order ${order.order_number}`,
  preview: `Thank you. ${ctx.tenant.name} has your order and your payment.`,
  reason: `You get this email because you ordered from ${ctx.tenant.name}.`,
  blocks: [
    { kind: 'heading', text: 'Thank you for your order' },
    { kind: 'paragraph', text: `Your payment has arrived. This is your receipt for order ${order.order_number}.` },
    itemLines(ctx, order, { prices: true }),
    orderTotals(ctx, order),
    ...(order.shipping_address
      ? [
          { kind: 'facts', facts: [addressFact('Ships to', order.shipping_address)] } as const,
          ...(isAwaited(order)
            ? [{ kind: 'note', text: 'You will get another email when your order is on its way.' } as const]
            : []),
        ]
      : []),
  ],
});

export const shipped: Template<'shipped'> = (ctx, { data: order }) => {
  const latest = order.labels.at(-1);
  const parcels: Block[] =
    order.labels.length === 0
      ? []
      : [
          {
            kind: 'facts',
            facts: order.labels.map(({ carrier, tracking_number, tracking_url }) => ({
              label: `Tracking number (${carrier})`,
              values: [tracking_number],
              url: tracking_url,
            })),
          },
        ];
  return {
    subject: `Your order ${order.order_number} is on its way`,
    preview: latest ? `It was shipped with ${latest.carrier}.` : 'It was shipped.',
    reason: `You get this email because you ordered from ${ctx.tenant.name}.`,
    blocks: [
      { kind: 'heading', text: 'On its way to you' },
      { kind: 'paragraph', text: `Your order ${order.order_number} has been handed to the carrier.` },
      ...(latest?.tracking_url
        ? [{ kind: 'button', label: 'Track your parcel', url: latest.tracking_url } as const]
        : []),
      ...parcels,
      ...(order.shipping_address
        ? [{ kind: 'facts', facts: [addressFact('Ships to', order.shipping_address)] } as const]
        : []),
      // Of an order that was sent although all of it is in approved returns, nobody knows with what.
      ...(order.items.length > 0 ? [itemLines(ctx, order, { prices: false })] : []),
    ],
  };
};

export const refunded: Template<'refunded'> = (ctx, { data: order }) => {
  const { amount_cents: cents } = order.refund;
  const words =
    cents > 0
      ? { title: 'Your money is on its way', text: 'Your bank may take a few days to show it.' }
      : { title: 'Your order is refunded', text: 'What you paid with a gift card is on the card again.' };
  return {
    subject: `Refund of your order ${order.order_number}`,
    preview: words.text,
    reason: `You get this email because you ordered from ${ctx.tenant.name}.`,
    blocks: [
      { kind: 'heading', text: words.title },
      {
        kind: 'paragraph',
        text: `We have refunded ${order.status === 'refunded' ? '' : 'a part of '}your order ${order.order_number}. ${words.text}`,
      },
      { kind: 'facts', facts: refundFacts(ctx, { ...order.refund, currency: order.currency }) },
      itemLines(ctx, order, { prices: true }),
      orderTotals(ctx, order),
    ],
  };
};

/** A receipt that is sent again may be of an order that was shipped, or will not be. */
const isAwaited = ({ status, shipped_at: shippedAt }: OrderMailData): boolean => !shippedAt && status !== 'refunded';

/** The items at their price before the discount, which is a line of the totals. */
function itemLines(ctx: Context, { items, currency }: OrderMailData, options: { prices: boolean }): Block {
  return {
    kind: 'lines',
    lines: items.map((item) => ({
      name: item.name,
      detail: itemDetail(item),
      amount: options.prices ? money(ctx, item.unit_price_cents * item.quantity, currency) : null,
    })),
  };
}

/** What the total consists of. */
function orderTotals(ctx: Context, order: OrderMailData): Block {
  const amount = (cents: number) => money(ctx, cents, order.currency);
  const off = (cents: number) => `\u2212${amount(cents)}`;
  const { subtotal_cents, discount_cents, gift_card_cents, shipping_cents, tax_cents, total_cents, refunded_cents } =
    order;
  const { isTaxIncluded, adjustmentCents } = restOfTotal(order);
  return {
    kind: 'totals',
    lines: [
      { label: 'Subtotal', amount: amount(subtotal_cents) },
      ...(discount_cents > 0 ? [{ label: 'Discount', amount: off(discount_cents) }] : []),
      ...(gift_card_cents > 0 ? [{ label: 'Gift card', amount: off(gift_card_cents) }] : []),
      ...(shipping_cents > 0 ? [{ label: 'Shipping', amount: amount(shipping_cents) }] : []),
      ...(tax_cents > 0 ? [{ label: isTaxIncluded ? 'Tax (included)' : 'Tax', amount: amount(tax_cents) }] : []),
      ...(adjustmentCents !== 0
        ? [{ label: 'Adjustment', amount: adjustmentCents < 0 ? off(-adjustmentCents) : amount(adjustmentCents) }]
        : []),
      { label: 'Total', amount: amount(total_cents), strong: true },
      ...(refunded_cents > 0 ? [{ label: 'Refunded', amount: off(refunded_cents) }] : []),
    ],
  };
}

function addressFact(label: string, address: ShopperAddress): Fact {
  const town = [[address.city, address.state].filter(Boolean).join(', '), address.zip].filter(Boolean).join(' ');
  const values = [address.name, address.street1, address.street2, town, address.country];
  return { label, values: values.filter((line): line is string => Boolean(line)) };
}
