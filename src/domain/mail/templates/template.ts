import { formatMoney } from '#src/lib/format-money.ts';
import type { Context } from '../../context.ts';
import type { MailData, MailKind } from '../kinds.ts';
import type { Letter } from '../letter/letter.ts';

/** What a template is given: the mail's data and what it is about, never who gets it. */
export interface MailContent<Kind extends MailKind> {
  readonly data: MailData[Kind];
  readonly subjectId: string;
}

/** Writes one kind of mail. The same content gives the same letter at each try. */
export type Template<Kind extends MailKind> = (ctx: Context, mail: MailContent<Kind>) => Letter | Promise<Letter>;

export function money(ctx: Context, cents: number, currency: string): string {
  return formatMoney(cents, currency, ctx.tenant.locale);
}

/** A page of the storefront. */
export function storefrontLink(ctx: Context, path: string): string {
  return new URL(path, ctx.tenant.storefrontUrl).href;
}
