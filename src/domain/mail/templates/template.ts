import { formatMoney } from '#src/lib/format-money.ts';
import type { Context } from '../../context.ts';
import type { MailData, MailItem, MailKind } from '../kinds.ts';
import type { EmailDocument } from '../layout/document.ts';

/** What a template renders. The unsubscribe link is for `recipient`. */
export interface MailContent<Kind extends MailKind> {
  readonly data: MailData[Kind];
  readonly subjectId: string;
  readonly recipient: string;
}

/** Renders one kind of email. The same content gives the same document at each attempt. */
export type Template<Kind extends MailKind> = (
  ctx: Context,
  mail: MailContent<Kind>,
) => EmailDocument | Promise<EmailDocument>;

export function money(ctx: Context, cents: number, currency: string): string {
  return formatMoney(cents, currency, ctx.tenant.locale);
}

const rhythms = { month: 'every month', quarter: 'every three months' };

/** What is said of an item below its name: how many, if more than one, and how often. */
export function itemDetail({ quantity, subscription_interval: interval }: MailItem): string | null {
  const details = [quantity > 1 && `Quantity ${quantity}`, interval && rhythms[interval]].filter(Boolean);
  return details.length > 0 ? details.join(', ') : null;
}

/** The URL of a storefront page. The storefront may live under a path of its site. */
export function storefrontLink(ctx: Context, path: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(ctx.tenant.storefrontUrl + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
