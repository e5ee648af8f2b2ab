import type { Context } from '../../context.ts';
import { deriveTokenWith, readSessionSecret, tokenPurposes } from '../../tenants/index.ts';
import type { MailData } from '../kinds.ts';
import type { Block } from '../layout/document.ts';
import { itemDetail, money, storefrontLink, type Template } from './template.ts';

/**
 * Reminds of a saved cart. A mail program's own button unsubscribes with one click (RFC 8058). The link in the footer
 * leads to a page with a button instead, because mail scanners follow links.
 */
export const abandonedCart: Template<'abandoned_cart'> = async (ctx, { data, subjectId, recipient }) => {
  const secret = await readSessionSecret(ctx);
  const restoreToken = deriveTokenWith(ctx, secret, tokenPurposes.restoreCart, subjectId);
  const unsubscribeToken = deriveTokenWith(ctx, secret, tokenPurposes.unsubscribe, recipient);
  const unsubscribeUrl = `${ctx.settings.publicUrl}/api/v1/cart/unsubscribe?token=${unsubscribeToken}`;
  const { subject, title, text } = wordsOf(ctx, data);
  return {
    subject,
    preview: data.items
      .slice(0, 3)
      .map(({ name }) => name)
      .join(', '),
    reason: `You get this email because you left a cart at ${ctx.tenant.name}.`,
    unsubscribeUrl,
    blocks: [
      { kind: 'heading', text: title },
      { kind: 'paragraph', text },
      linesOf(ctx, data),
      {
        kind: 'button',
        label: 'Back to my cart',
        url: storefrontLink(ctx, ctx.tenant.restorePath, { token: restoreToken }),
      },
      { kind: 'note', text: 'Prices are as of today. Items are not reserved until you order.' },
    ],
    headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  };
};

interface Words {
  readonly subject: string;
  readonly title: string;
  readonly text: string;
}

/** Only the third reminder says that it is the last: a store sends at most three. */
function wordsOf(ctx: Context, { step, items: [first] }: MailData['abandoned_cart']): Words {
  const store = ctx.tenant.name;
  const thing = first?.name ?? 'Your cart';
  if (step === 1) {
    return {
      subject: `You left something at ${store}`,
      title: 'Your cart is still here',
      text: 'We have saved it for you. The button below takes you back to it.',
    };
  }
  if (step === 2) {
    return {
      subject: `Still thinking about it? ${thing}`,
      title: 'Still thinking about it?',
      text: 'Your cart is still saved. The button below takes you back to it.',
    };
  }
  return {
    subject: `Your cart at ${store}, one last time`,
    title: 'One last reminder',
    text: 'We will not email you about this cart again. The button below still takes you back to it.',
  };
}

function linesOf(ctx: Context, { items, currency }: MailData['abandoned_cart']): Block {
  return {
    kind: 'lines',
    lines: items.map((item) => ({
      name: item.name,
      detail: itemDetail(item),
      // Empty rather than null, so that all lines of the list have the same columns.
      amount: item.total_cents === null ? '' : money(ctx, item.total_cents, currency),
    })),
  };
}
