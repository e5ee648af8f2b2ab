import { hmacSha256 } from '#src/lib/crypto.ts';
import type { Context } from './context.ts';

/** How the audit log calls a person: whoever knows the address can find it, and nobody else can tell whose it is. */
export function nameInLog(ctx: Context, email: string): string {
  const text = JSON.stringify(['person', ctx.tenant.id, email]);
  return hmacSha256(ctx.settings.keyPepper, text).toString('base64url').slice(0, 22);
}
