import { deriveToken, tokenPurposes } from '../../tenants/index.ts';
import { storefrontLink, type Template } from './template.ts';

/** The link leads to the store's registered page and nowhere else; the page consumes the token. */
export const magicLink: Template<'magic_link'> = async (ctx, { data, subjectId }) => {
  const token = await deriveToken(ctx, tokenPurposes.signIn, subjectId);
  const query = data.redirect_path === null ? { token } : { token, redirect_path: data.redirect_path };
  return {
    subject: `Sign in to ${ctx.tenant.name}`,
    preview: `Your link works once, and for ${data.valid_minutes} minutes.`,
    reason: `You get this mail because somebody asked ${ctx.tenant.name} for a link to sign in with this address.`,
    blocks: [
      { kind: 'heading', text: `Sign in to ${ctx.tenant.name}` },
      { kind: 'paragraph', text: 'Press the button, and you are signed in. There is no password to remember.' },
      { kind: 'button', label: 'Sign in', url: storefrontLink(ctx, ctx.tenant.magicLinkPath, query) },
      {
        kind: 'note',
        text: `The link works once and for ${data.valid_minutes} minutes. If you did not ask for it, you need do nothing: without this mail nobody can sign in.`,
      },
    ],
  };
};
