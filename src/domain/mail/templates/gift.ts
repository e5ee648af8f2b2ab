import type { Template } from './template.ts';

/** To the recipient of a gift subscription, once it is paid for. */
export const gift: Template<'gift'> = (ctx, { data }) => {
  const months = data.months === 1 ? 'one month' : `${data.months} months`;
  const giver = data.giver_name ?? 'Someone';
  const store = ctx.tenant.name;
  return {
    subject: `${giver} has a gift for you`,
    preview: `${data.product_name} from ${store} for ${months}.`,
    reason: `You get this email because a gift from ${store} was bought for you.`,
    blocks: [
      { kind: 'heading', text: data.recipient_name ? `A gift for you, ${data.recipient_name}` : 'A gift for you' },
      {
        kind: 'paragraph',
        text:
          `${giver} has bought you a gift at ${store}: ${data.product_name} for ${months}. ` +
          'It is already paid for, and you do not need to do anything.',
      },
      ...(data.message ? [{ kind: 'quote', text: data.message, by: data.giver_name } as const] : []),
      { kind: 'button', label: `Visit ${store}`, url: ctx.tenant.storefrontUrl },
    ],
  };
};
