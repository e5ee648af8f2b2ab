import { hmacSha256, sha256 } from '#src/lib/crypto.ts';
import type { Context } from '../context.ts';
import { readSessionSecret, type SessionSecret } from './session-secret.ts';

/** An id is a prefix, `_` and 26 characters; a token begins with those of its tenant. */
const idCharacters = 26;
const pattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}[A-Za-z0-9_-]{43}$/;

/** What the tokens in mails open. A shipped purpose is never renamed. */
export const tokenPurposes = {
  /** A saved cart, by its id. */
  restoreCart: 'cart.restore',
  /** To unsubscribe from reminders, by address. */
  unsubscribe: 'mail.unsubscribe',
  /** A session, by the id of the link. */
  signIn: 'session.sign-in',
} as const;

/**
 * The token that opens one row for one purpose, without being stored anywhere: whoever holds the tenant's secret can
 * compute it again. It names its tenant, for links in mails send no header. Keep `sha256` of it for the look-up.
 *
 * The tenant's secret may be rotated. A token that was handed out is still found by its hash then, but the one that is
 * computed next is another: whoever writes a mail keeps the hash of the token that stands in it.
 */
export async function deriveToken(ctx: Context, purpose: string, rowId: string): Promise<string> {
  return deriveTokenWith(ctx, await readSessionSecret(ctx), purpose, rowId);
}

/** `deriveToken` for whoever needs several tokens of one tenant, or its secret besides. */
export function deriveTokenWith(
  ctx: Pick<Context, 'tenant'>,
  { secret }: SessionSecret,
  purpose: string,
  rowId: string,
): string {
  return ctx.tenant.id.slice(-idCharacters) + hmacSha256(secret, `${purpose}\n${rowId}`).toString('base64url');
}

/** The id of the tenant that a derived token names, or `undefined` when this is no such token. Proves nothing yet. */
export function tenantIdOfToken(token: string): string | undefined {
  return pattern.test(token) ? `ten_${token.slice(0, idCharacters)}` : undefined;
}

const digits = 6;

/**
 * The one-time password of one row for one purpose: six digits that are derived like a token, so that a mail can be
 * sent again with the same one. Few digits need few tries: whoever checks it has to count.
 */
export async function deriveCode(ctx: Context, purpose: string, rowId: string): Promise<string> {
  const number = sha256(await deriveToken(ctx, purpose, rowId)).readUIntBE(0, 6);
  return String(number % 10 ** digits).padStart(digits, '0');
}
