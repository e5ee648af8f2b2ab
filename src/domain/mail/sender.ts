import type { Context } from '../context.ts';

/**
 * Who a store's mails come from: the sender that it named, else the installation's address under the store's name,
 * so that a shopper knows whom the mail is from.
 */
export function senderOf(ctx: Context): string {
  if (ctx.tenant.mailFrom) return ctx.tenant.mailFrom;
  const [, address = ctx.settings.mailFrom] = /<([^<>]+)>\s*$/.exec(ctx.settings.mailFrom) ?? [];
  return `${ctx.tenant.name} <${address.trim()}>`;
}
