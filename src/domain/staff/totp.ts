import type { TOTP } from 'otpauth';

import { minutes, seconds } from '#src/lib/duration.ts';
import { withoutSpaces } from '#src/lib/one-line.ts';

/** Loaded on first use, as few requests need it. */
const loadOtpauth = () => import('otpauth');

const periodSeconds = 30;
/** RFC 6238 as every authenticator app knows it. */
const parameters = { algorithm: 'SHA1', digits: 6, period: periodSeconds } as const;

/** How many time steps the clock of a phone may be off, either way. */
const window = 1;

/** A new secret in Base32, and the URL that an app reads from a QR code. */
export async function newTotp(issuer: string, label: string): Promise<{ secret: string; otpauthUrl: string }> {
  const { Secret, TOTP } = await loadOtpauth();
  const totp: TOTP = new TOTP({ ...parameters, issuer, label, secret: new Secret({ size: 20 }) });
  return { secret: totp.secret.base32, otpauthUrl: totp.toString() };
}

/** The time step whose code this is, among those that are accepted now; `undefined` for a wrong code. */
export async function timeStepOf(secret: string, code: string, now: Date): Promise<number | undefined> {
  const token = withoutSpaces(code);
  if (!/^[0-9]{6}$/.test(token)) return undefined;
  const { Secret, TOTP } = await loadOtpauth();
  const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token, timestamp: now.getTime(), window });
  return delta === null ? undefined : Math.floor(now.getTime() / seconds(periodSeconds)) + delta;
}

/** After so many wrong codes, a member waits until so long after the first of them. */
export const wrongCodesMax = 5;
export const wrongCodesWindowMs = minutes(15);
