import { seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { SessionSecret } from '../tenants/index.ts';

/** Loaded on first use, as few requests come with a session. */
const loadJose = () => import('jose');

/** The only algorithm: a token with another one is rejected. */
const algorithm = 'HS256';
const lifeSeconds = 15 * 60;

export interface SignedToken {
  readonly token: string;
  readonly expiresAt: Date;
  readonly expiresInSeconds: number;
}

/** The session and the customer that a token is for. */
export interface SessionSubject {
  readonly sessionId: string;
  readonly customerId: string;
}

/** Sign a token for this session. It is valid for 15 minutes, but not beyond the session's refresh period. */
export async function signSession(
  ctx: Context,
  secret: SessionSecret,
  { sessionId, customerId }: SessionSubject,
  refreshExpiresAt: Date,
): Promise<SignedToken> {
  const { SignJWT } = await loadJose();
  const issuedAt = Math.floor(ctx.clock.now().getTime() / 1000);
  const expires = Math.min(issuedAt + lifeSeconds, Math.floor(refreshExpiresAt.getTime() / 1000));
  const token = await new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: `${ctx.tenant.id}.${secret.number}` })
    .setIssuer(ctx.settings.publicUrl)
    .setAudience(ctx.tenant.slug)
    .setSubject(customerId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expires)
    .sign(keyOf(secret));
  return { token, expiresAt: new Date(seconds(expires)), expiresInSeconds: expires - issuedAt };
}

/**
 * Verify that this store signed a token with its current secret.
 * @throws DomainError unauthenticated `invalid_session`, or `expired_session`
 */
export async function verifySession(ctx: Context, secret: SessionSecret, token: string): Promise<SessionSubject> {
  const { errors, jwtVerify } = await loadJose();
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keyOf(secret), {
      algorithms: [algorithm],
      typ: 'JWT',
      issuer: ctx.settings.publicUrl,
      audience: ctx.tenant.slug,
      requiredClaims: ['sub', 'sid', 'exp'],
      currentDate: ctx.clock.now(),
    });
    const { sub: customerId, sid: sessionId } = payload;
    const isOwnToken = protectedHeader.kid === `${ctx.tenant.id}.${secret.number}`;
    if (!isOwnToken || typeof sessionId !== 'string' || !customerId) throw invalidSession();
    return { sessionId, customerId };
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw expiredSession();
    if (error instanceof errors.JOSEError) throw invalidSession();
    throw error;
  }
}

/** The id of the tenant in a session token, not verified. @returns `undefined` when it is not a session token */
export async function tenantIdOfSession(token: string): Promise<string | undefined> {
  const { decodeProtectedHeader } = await loadJose();
  try {
    const { kid } = decodeProtectedHeader(token);
    return /^(ten_[0-9a-z]{26})\.[0-9]+$/.exec(kid ?? '')?.[1];
  } catch {
    // Not a session token.
    return undefined;
  }
}

export const invalidSession = () =>
  new DomainError('unauthenticated', 'invalid_session', 'You are not signed in to this store.');
export const expiredSession = () =>
  new DomainError('unauthenticated', 'expired_session', 'The session has expired. Refresh it, or sign in again.');

const keyOf = ({ secret }: SessionSecret) => new TextEncoder().encode(secret);
