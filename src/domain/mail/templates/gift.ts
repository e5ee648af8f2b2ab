import type { Template } from './template.ts';

/** To the recipient of a gift subscription, once it is paid for. */
export const gift: Template<'gift'> = (ctx, { data }) => {
  const months = data.months === 1 ? 'one month' : `${data.months} months`;
  const giver = data.giver_name ?? 'Someone';
  return {
    subject: `${giver} has a gift for you`,
    preview: `${data.product_name}, for ${months}.`,
    reason: `You get this email because a gift from ${ctx.tenant.name} was bought for you.`,
    blocks: [
      { kind: 'heading', text: data.recipient_name ? `A gift for you, ${data.recipient_name}` : 'A gift for you' },
      {
        kind: 'paragraph',
        text: `${giver} gives you ${data.product_name} from ${ctx.tenant.name}, for ${months}. It is already paid for, so there is nothing you need to do.`,
      },
      ...(data.message ? [{ kind: 'quote', text: data.message, by: data.giver_name } as const] : []),
      { kind: 'button', label: `Visit ${ctx.tenant.name}`, url: ctx.tenant.storefrontUrl },
    ],
  };
};
