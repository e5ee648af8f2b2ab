import { deriveToken, tokenPurposes } from '../../tenants/index.ts';
import { storefrontLink, type Template } from './template.ts';

/** The link only ever leads to the page that the store has registered, which consumes the token. */
export const magicLink: Template<'magic_link'> = async (ctx, { data, subjectId }) => {
  const token = await deriveToken(ctx, tokenPurposes.signIn, subjectId);
  const query = data.redirect_path === null ? { token } : { token, redirect_path: data.redirect_path };
  return {
    subject: `Sign in to ${ctx.tenant.name}`,
    preview: `Your link works once, within ${data.valid_minutes} minutes.`,
    reason: `You get this email because a sign-in link for this address was requested at ${ctx.tenant.name}.`,
    blocks: [
      { kind: 'heading', text: `Sign in to ${ctx.tenant.name}` },
      { kind: 'paragraph', text: 'Press the button to sign in. You do not need a password.' },
      { kind: 'button', label: 'Sign in', url: storefrontLink(ctx, ctx.tenant.magicLinkPath, query) },
      {
        kind: 'note',
        text:
          `The link works once, within ${data.valid_minutes} minutes. If you did not request it, you can ignore ` +
          'this email: without the link, no one can sign in.',
      },
    ],
  };
};
