import { storefrontLink, type Template } from './template.ts';

export const restock: Template<'restock'> = (ctx, { data }) => {
  const name = data.variant_name ? `${data.product_name}, ${data.variant_name}` : data.product_name;
  return {
    subject: `${data.product_name} is back in stock`,
    preview: `${name} can be ordered again.`,
    reason: `You get this email because you joined the waitlist at ${ctx.tenant.name}. It is sent once.`,
    blocks: [
      { kind: 'heading', text: `${data.product_name} is back in stock` },
      ...(data.image_url ? [{ kind: 'image', url: data.image_url, alt: name } as const] : []),
      {
        kind: 'paragraph',
        text: `${name} can be ordered again. We cannot reserve one for you, so order soon.`,
      },
      { kind: 'button', label: 'View product', url: storefrontLink(ctx, data.path) },
    ],
  };
};
