import { randomBytes } from 'node:crypto';

import type { Context } from '../context.ts';

/** What a sealed secret is bound to, beside its store. */
export const secretField = 'webhook_secret';

/** `whsec_` and base64 of 16 to 64 bytes, as Standard Webhooks writes secrets. */
export const secretPattern = '^whsec_[A-Za-z0-9+/]{22,86}={0,2}$';

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function sealSecret(ctx: Context, secret: string): string {
  return ctx.keyring.seal(ctx.tenant.id, secretField, secret);
}

export function openSecret(ctx: Context, sealed: string): string {
  return ctx.keyring.open(ctx.tenant.id, secretField, sealed);
}
