import { randomBytes } from 'node:crypto';

import { hmacSha256, sha256 } from '#src/lib/crypto.ts';
import type { Context } from '../context.ts';
import { readSessionSecret, type SessionSecret } from './session-secret.ts';

/** An id is a prefix, `_` and 26 characters; a token begins with those of its tenant's id. */
const idCharacters = 26;
const pattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}[A-Za-z0-9_-]{43}$/;

/** What the tokens in emails are for. A shipped purpose is never renamed. */
export const tokenPurposes = {
  /** Restores a saved cart, by its id. */
  restoreCart: 'cart.restore',
  /** Unsubscribes an email address from reminders. */
  unsubscribe: 'mail.unsubscribe',
  /** Begins a session, by the id of the link. */
  signIn: 'session.sign-in',
  /** Downloads the file of an export, by its id. */
  download: 'bulk.download',
  /** Begins a session of staff, by the id of the link. */
  staffSignIn: 'staff.sign-in',
} as const;

/**
 * A token for one row and one purpose. It is not stored: it can be computed again with the tenant's secret. It names
 * its tenant, because a link in an email sends no header. Store its `sha256` to find the row by it.
 *
 * After the tenant's secret was rotated, the computed token is another one, while a token that was sent is still found
 * by its hash. So each email stores the hash of the token that it contains.
 */
export async function deriveToken(ctx: Context, purpose: string, rowId: string): Promise<string> {
  return deriveTokenWith(ctx, await readSessionSecret(ctx), purpose, rowId);
}

/** `deriveToken` with a secret that was read before, for several tokens of one tenant. */
export function deriveTokenWith(
  ctx: Pick<Context, 'tenant'>,
  { secret }: Pick<SessionSecret, 'secret'>,
  purpose: string,
  rowId: string,
): string {
  return tokenOf(ctx, hmacSha256(secret, `${purpose}\n${rowId}`));
}

/** A random token that names its tenant. Store its `sha256`: it cannot be computed again. */
export function randomToken(ctx: Pick<Context, 'tenant'>): string {
  return tokenOf(ctx, randomBytes(32));
}

const tokenOf = ({ tenant }: Pick<Context, 'tenant'>, secret: Buffer) =>
  tenant.id.slice(-idCharacters) + secret.toString('base64url');

/** The id of the tenant that a derived token names; `undefined` for another text. Does not verify the token. */
export function tenantIdOfToken(token: string): string | undefined {
  return pattern.test(token) ? `ten_${token.slice(0, idCharacters)}` : undefined;
}

const digits = 6;

/**
 * The one-time password of one row for one purpose: six digits, derived like a token, so that an email can be sent
 * again with the same one. So few digits could be guessed: the caller limits the number of tries.
 */
export async function deriveCode(ctx: Context, purpose: string, rowId: string): Promise<string> {
  const number = sha256(await deriveToken(ctx, purpose, rowId)).readUIntBE(0, 6);
  return String(number % 10 ** digits).padStart(digits, '0');
}
