import { hmacSha256 } from '#src/lib/crypto.ts';
import type { Context } from './context.ts';

/** A person's pseudonym in the audit log, and for what outlasts an erasure: it can be computed from the email address, but not the other way round. */
export function nameInLog(ctx: Context, email: string): string {
  const text = JSON.stringify(['person', ctx.tenant.id, email]);
  return hmacSha256(ctx.settings.keyPepper, text).toString('base64url').slice(0, 22);
}
