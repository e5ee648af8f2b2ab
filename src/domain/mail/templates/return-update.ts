import type { MailData } from '../kinds.ts';
import { refundFacts } from './refund-facts.ts';
import type { Template } from './template.ts';

const words: Record<MailData['return_update']['status'], { title: string; text: string }> = {
  requested: {
    title: 'We have received your return request',
    text: 'We will review it and email you. Please keep the items until then.',
  },
  approved: {
    title: 'Your return is approved',
    text: 'Please send these items back to us. We will email you when they arrive.',
  },
  rejected: { title: 'Your return was rejected', text: 'We have reviewed your request and cannot accept it.' },
  received: { title: 'Your return has arrived', text: 'We have received the items and will process your refund.' },
  refunded: {
    title: 'Your money is on its way',
    text: 'We have refunded your return. Your bank may take a few days to show it.',
  },
  closed: { title: 'Your return is closed', text: 'You do not need to do anything.' },
};

/** Where no money was refunded, there is none on its way to a bank. */
function wordsFor({ status, refund }: MailData['return_update']): { title: string; text: string } {
  if (status !== 'refunded' || !refund || refund.amount_cents > 0) return words[status];
  return refund.gift_card_cents > 0
    ? { title: 'Your return is refunded', text: 'What you paid with a gift card is on the card again.' }
    : { title: 'Your return is complete', text: 'You do not need to do anything.' };
}

export const returnUpdate: Template<'return_update'> = (ctx, { data }) => {
  const { title, text } = wordsFor(data);
  return {
    subject: `${title}: ${data.return_number}`,
    preview: text,
    reason: `You get this email because you requested a return at ${ctx.tenant.name}.`,
    blocks: [
      { kind: 'heading', text: title },
      { kind: 'paragraph', text },
      ...(data.note ? [{ kind: 'quote', text: data.note, by: ctx.tenant.name } as const] : []),
      {
        kind: 'lines',
        lines: data.items.map(({ name, quantity }) => ({
          name,
          // Also of one: the shopper may have bought more.
          detail: `Quantity ${quantity}`,
          amount: null,
        })),
      },
      {
        kind: 'facts',
        facts: [
          ...(data.refund ? refundFacts(ctx, data.refund) : []),
          { label: 'Return', values: [data.return_number] },
          { label: 'Order', values: [data.order_number] },
        ],
      },
    ],
  };
};
