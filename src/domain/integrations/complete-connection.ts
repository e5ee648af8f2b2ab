import { writeRows } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { invalidOrExpired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { receivedField } from './connections.ts';

/** What the owner's browser brought back from the third party. */
export interface ConsentCallback {
  readonly provider: string;
  readonly state: string;
  /** The query without the state: a code, or an error. */
  readonly received: Readonly<Record<string, unknown>>;
  /** Whether nothing is stored: a program checks the link. */
  readonly isPreview?: boolean;
}

/**
 * Store, encrypted, what a third party returned after the owner's consent, and return the URL for the browser to
 * continue. The first data stays: reloading the page or reusing its URL changes nothing.
 *
 * @throws DomainError `invalid_or_expired_token` when the state is not of this store and provider, or has expired
 */
export async function completeConnection(
  ctx: Context,
  { provider, state, received, isPreview = false }: ConsentCallback,
): Promise<{ returnUrl: string }> {
  const now = ctx.clock.now();
  const sealed = isPreview ? null : ctx.keyring.seal(ctx.tenant.id, receivedField, JSON.stringify(received));
  const receivedAt = isPreview ? null : now;
  const [connection] = await writeRows<{ returnUrl: string }>(
    ctx,
    sql`
    update integration_connections
    set received_sealed = coalesce(received_sealed, ${sealed}),
      received_at = coalesce(received_at, ${receivedAt}::timestamptz)
    where tenant_id = ${ctx.tenant.id} and state_hash = ${sha256(state)} and provider = ${provider}
      and expires_at > ${now}
    returning return_url as "returnUrl"`,
  );
  if (!connection) throw invalidOrExpired('link');
  return connection;
}
