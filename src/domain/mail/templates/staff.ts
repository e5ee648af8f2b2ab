import type { Context } from '../../context.ts';
import { deriveCode, deriveTokenWith, readStaffSecret, tokenPurposes } from '../../tenants/index.ts';
import type { EmailDocument } from '../layout/document.ts';
import type { Template } from './template.ts';

export const staffSignIn: Template<'staff_sign_in'> = (ctx, { data, subjectId }) =>
  signInEmail(ctx, subjectId, {
    subject: `Sign in to the admin of ${ctx.tenant.name}`,
    within: `${data.valid_minutes} minutes`,
    reason: `You get this email because a sign-in link for this address was requested at ${ctx.tenant.name}.`,
    text: 'Press the button to sign in. You do not need a password.',
    label: 'Sign in',
    note: 'If you did not request it, you can ignore this email: without the link, no one can sign in.',
  });

export const staffInvitation: Template<'staff_invitation'> = (ctx, { data, subjectId }) =>
  signInEmail(ctx, subjectId, {
    subject: `You are invited to the admin of ${ctx.tenant.name}`,
    within: `${data.valid_days} days`,
    reason: `You get this email because ${ctx.tenant.name} has added you to its staff.`,
    text: `You can now work in the admin of ${ctx.tenant.name}, and need no password.`,
    label: 'Accept and sign in',
    note: 'After that, request a new link on the sign-in page whenever you need one.',
  });

/** The token is in the fragment of the link, which browsers send to no server: it is in no log and no referrer. */
async function signInEmail(
  ctx: Context,
  linkId: string,
  email: { subject: string; within: string; reason: string; text: string; label: string; note: string },
): Promise<EmailDocument> {
  const token = deriveTokenWith(ctx, await readStaffSecret(ctx), tokenPurposes.staffSignIn, linkId);
  return {
    subject: email.subject,
    preview: `Your link works once, within ${email.within}.`,
    reason: email.reason,
    blocks: [
      { kind: 'heading', text: email.subject },
      { kind: 'paragraph', text: email.text },
      {
        kind: 'button',
        label: email.label,
        url: `${ctx.settings.publicUrl}/admin#/sign-in/${token}?store=${ctx.tenant.slug}`,
      },
      { kind: 'note', text: `The link works once, within ${email.within}. ${email.note}` },
    ],
  };
}

/** To those who are owners already: a new one can do whatever they can. */
export const staffOwnerAdded: Template<'staff_owner_added'> = (ctx) => ({
  subject: `A new owner of ${ctx.tenant.name}`,
  preview: 'The page Staff of the admin says who it is.',
  reason: `You get this email because you are an owner of the store ${ctx.tenant.name}.`,
  blocks: [
    { kind: 'heading', text: `${ctx.tenant.name} has a new owner` },
    {
      kind: 'paragraph',
      text: 'The page Staff of the admin says who it is. An owner can do everything there: refund money, and change keys and staff.',
    },
    {
      kind: 'note',
      text: 'If you did not expect this, revoke the new owner on that page at once. The audit log shows who did it.',
    },
  ],
});

export const staffCode: Template<'staff_code'> = async (ctx, { data, subjectId }) => ({
  // The code is not in the subject or the preview, which locked screens show.
  subject: `Your code for the admin of ${ctx.tenant.name}`,
  preview: 'Open this email to see your code.',
  reason: `You get this email because you are signed in to the admin of ${ctx.tenant.name}.`,
  blocks: [
    { kind: 'heading', text: 'Your one-time code' },
    { kind: 'paragraph', text: 'Enter this code in the admin to continue.' },
    { kind: 'code', text: await deriveCode(ctx, data.purpose, subjectId) },
    {
      kind: 'note',
      text:
        `It works once, within ${data.valid_minutes} minutes. Never share it: our staff will never ask for it. ` +
        'If you did not request a code, someone else is signed in as you: end your sessions in the admin.',
    },
  ],
});
