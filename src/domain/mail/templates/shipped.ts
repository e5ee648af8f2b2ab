import type { Block } from '../letter/letter.ts';
import { addressFact, itemLines } from './order-blocks.ts';
import type { Template } from './template.ts';

export const shipped: Template<'shipped'> = (ctx, { data: order }) => {
  const [first] = order.labels;
  const parcels: Block[] =
    order.labels.length === 0
      ? []
      : [
          {
            kind: 'facts',
            facts: order.labels.map(({ carrier, tracking_number, tracking_url }) => ({
              label: `Tracking number, ${carrier}`,
              values: [tracking_number],
              url: tracking_url,
            })),
          },
        ];
  return {
    subject: `Your order ${order.order_number} is on its way`,
    preview: first ? `It travels with ${first.carrier}.` : 'It has left us.',
    reason: `You get this mail because you ordered from ${ctx.tenant.name}.`,
    blocks: [
      { kind: 'heading', text: 'On its way to you' },
      { kind: 'paragraph', text: `Your order ${order.order_number} has been handed to the carrier.` },
      ...(first?.tracking_url
        ? [{ kind: 'button', label: 'Follow your parcel', url: first.tracking_url } as const]
        : []),
      ...parcels,
      ...(order.shipping_address
        ? [{ kind: 'facts', facts: [addressFact('Ships to', order.shipping_address)] } as const]
        : []),
      itemLines(ctx, order, { prices: false }),
    ],
  };
};
