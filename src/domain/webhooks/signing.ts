import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import { sealedColumn } from '../sealed-column.ts';

/** Sealed secrets are bound to this field name and to their store. */
const secretField = 'webhook_secret';

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

/**
 * The headers of Standard Webhooks (standardwebhooks.com), with one signature for each live secret, so that a receiver
 * can change over at any time during a rotation. `id` is the same for every attempt; `at` is the time of this one.
 */
export function sign(secrets: readonly string[], id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

export const webhookSealedColumns = [
  sealedColumn('webhook_endpoints', 'secret_sealed', secretField),
  sealedColumn('webhook_endpoints', 'retiring_secret_sealed', secretField),
];
