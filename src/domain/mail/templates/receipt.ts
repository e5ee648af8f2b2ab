import { addressFact, itemLines, orderTotals } from './order-blocks.ts';
import type { Template } from './template.ts';

export const receipt: Template<'receipt'> = (ctx, { data: order }) => ({
  subject: `Your order ${order.order_number}`,
  preview: `Thank you. ${ctx.tenant.name} has your order and your payment.`,
  reason: `You get this mail because you ordered from ${ctx.tenant.name}.`,
  blocks: [
    { kind: 'heading', text: 'Thank you for your order' },
    { kind: 'paragraph', text: `Your payment has arrived. This is your receipt for order ${order.order_number}.` },
    itemLines(ctx, order, { prices: true }),
    orderTotals(ctx, order),
    ...(order.shipping_address
      ? [
          { kind: 'facts', facts: [addressFact('Ships to', order.shipping_address)] } as const,
          { kind: 'note', text: 'You will get another mail as soon as it is on its way.' } as const,
        ]
      : []),
  ],
});
