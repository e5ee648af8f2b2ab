import { formatMoney } from '#src/lib/format-money.ts';
import type { Context } from '../../context.ts';
import type { MailData, MailKind } from '../kinds.ts';
import type { EmailDocument } from '../layout/document.ts';

/** What a template is given: the mail's data, what it is about, and the address that its unsubscribe link is for. */
export interface MailContent<Kind extends MailKind> {
  readonly data: MailData[Kind];
  readonly subjectId: string;
  readonly recipient: string;
}

/** Writes one kind of mail. The same content gives the same letter at each try. */
export type Template<Kind extends MailKind> = (
  ctx: Context,
  mail: MailContent<Kind>,
) => EmailDocument | Promise<EmailDocument>;

export function money(ctx: Context, cents: number, currency: string): string {
  return formatMoney(cents, currency, ctx.tenant.locale);
}

/** A page of the storefront, which itself may be a part of a site. */
export function storefrontLink(ctx: Context, path: string, query: Readonly<Record<string, string>> = {}): string {
  const url = new URL(ctx.tenant.storefrontUrl + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
