import { oneLine } from '#src/lib/one-line.ts';
import type { Context } from '../context.ts';
import type { OutgoingMail } from '../ports/mailer.ts';
import type { MailKind } from './kinds.ts';
import { type EmailDocument, emailBrandingOf } from './layout/document.ts';
import { renderHtml } from './layout/render-html.ts';
import { renderText } from './layout/render-text.ts';
import { abandonedCart } from './templates/abandoned-cart.ts';
import { endpointWarning } from './templates/endpoint-warning.ts';
import { gift } from './templates/gift.ts';
import { magicLink } from './templates/magic-link.ts';
import { oneTimePassword } from './templates/one-time-password.ts';
import { receipt, refunded, shipped } from './templates/orders.ts';
import { restock } from './templates/restock.ts';
import { returnUpdate } from './templates/return-update.ts';
import { staffCode, staffInvitation, staffOwnerAdded, staffSignIn } from './templates/staff.ts';
import type { MailContent, Template } from './templates/template.ts';

const templates: { readonly [Kind in MailKind]: Template<Kind> } = {
  magic_link: magicLink,
  staff_sign_in: staffSignIn,
  staff_invitation: staffInvitation,
  staff_owner_added: staffOwnerAdded,
  staff_code: staffCode,
  receipt,
  shipped,
  refunded,
  abandoned_cart: abandonedCart,
  one_time_password: oneTimePassword,
  return_update: returnUpdate,
  endpoint_warning: endpointWarning,
  restock,
  gift,
};

/** An email without its envelope. */
export type RenderedEmail = Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'headers'>;

/** Render an email of this kind as HTML and plain text, with the store's branding. */
export async function renderEmail<Kind extends MailKind>(
  ctx: Context,
  kind: Kind,
  content: MailContent<Kind>,
): Promise<RenderedEmail> {
  const template: Template<Kind> = templates[kind];
  const { reason, ...document } = await template(ctx, content);
  const branding = emailBrandingOf(ctx.tenant);
  const email: EmailDocument = { ...document, reason: withoutSecondStop(reason, branding.name) };
  return {
    subject: oneLine(email.subject),
    text: renderText(email, branding),
    html: renderHtml(email, branding),
    // Prevents automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...email.headers },
  };
}

/** A sentence that ends with a name such as Cedar Ltd. ends with the full stop of that. */
const withoutSecondStop = (text: string, name: string): string =>
  name.endsWith('.') ? text.replaceAll(`${name}.`, () => name) : text;
