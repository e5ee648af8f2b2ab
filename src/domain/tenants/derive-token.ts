import { hmacSha256 } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { runOnPlatformTables } from '../database.ts';

/** An id is a prefix, `_` and 26 characters; a token begins with those of its tenant. */
const idCharacters = 26;
const pattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}[A-Za-z0-9_-]{43}$/;

/**
 * The token that opens one row for one purpose, without being stored anywhere: whoever holds the tenant's secret can
 * compute it again. It names its tenant, for links in mails send no header. Keep `sha256` of it for the look-up.
 *
 * @param purpose what the token opens, such as `cart.restore`. A shipped purpose is never renamed.
 */
export async function deriveToken(ctx: Context, purpose: string, rowId: string): Promise<string> {
  const derive = await createTokenDeriver(ctx);
  return derive(purpose, rowId);
}

/** `deriveToken` for several tokens of one tenant: its secret is read once. */
export async function createTokenDeriver(ctx: Context): Promise<(purpose: string, rowId: string) => string> {
  const secret = await secretOf(ctx);
  return (purpose, rowId) =>
    ctx.tenant.id.slice(-idCharacters) + hmacSha256(secret, `${purpose}\n${rowId}`).toString('base64url');
}

/** The id of the tenant that a derived token names, or `undefined` when this is no such token. Proves nothing yet. */
export function tenantIdOfToken(token: string): string | undefined {
  return pattern.test(token) ? `ten_${token.slice(0, idCharacters)}` : undefined;
}

async function secretOf(ctx: Context): Promise<string> {
  const [row] = await runOnPlatformTables<{ sealed: string }>(ctx, sql`
    select session_secret_sealed as sealed from tenants where id = ${ctx.tenant.id}`);
  if (!row) throw new TypeError('The tenant of the context is gone.');
  return ctx.keyring.open(ctx.tenant.id, 'session_secret', row.sealed);
}
