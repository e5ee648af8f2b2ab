import { storefrontLink, type Template } from './template.ts';

export const restock: Template<'restock'> = (ctx, { data }) => {
  const name = data.variant_name ? `${data.product_name}, ${data.variant_name}` : data.product_name;
  return {
    subject: `${data.product_name} is back`,
    preview: `${name} can be ordered again.`,
    reason: `You get this mail, once, because you asked ${ctx.tenant.name} to tell you.`,
    blocks: [
      { kind: 'heading', text: `${data.product_name} is back` },
      ...(data.image_url ? [{ kind: 'image', url: data.image_url, alt: name } as const] : []),
      {
        kind: 'paragraph',
        text: `You asked us to tell you: ${name} can be ordered again. We cannot put one aside for you, so do not wait too long.`,
      },
      { kind: 'button', label: 'Have a look', url: storefrontLink(ctx, data.path) },
    ],
  };
};
