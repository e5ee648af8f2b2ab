import { write } from '#src/database/transact.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { receivedField } from './connections.ts';

/** What came back with the owner's browser. */
export interface ConsentCallback {
  readonly provider: string;
  readonly state: string;
  /** The query as it came, the state aside: a code, or why there is none. */
  readonly received: Readonly<Record<string, unknown>>;
}

/**
 * Keep, encrypted, what a third party brought to a consent that the owner began, and say where the browser goes on.
 * What came first stays: a page that is loaded again, or an address that somebody found, changes nothing.
 *
 * @throws DomainError `invalid_or_expired_token` when the state is not one of this store and third party, or too old
 */
export async function completeConnection(
  ctx: Context,
  { provider, state, received }: ConsentCallback,
): Promise<{ returnUrl: string }> {
  const now = ctx.clock.now();
  const sealed = ctx.keyring.seal(ctx.tenant.id, receivedField, JSON.stringify(received));
  const [connection] = await write<{ returnUrl: string }>(
    ctx,
    sql`
    completed as (
      update integration_connections
      set received_sealed = coalesce(received_sealed, ${sealed}), received_at = coalesce(received_at, ${now}::timestamptz)
      where tenant_id = ${ctx.tenant.id} and state_hash = ${sha256(state)} and provider = ${provider}
        and expires_at > ${now}
      returning return_url)`,
    sql`
    select return_url as "returnUrl" from completed`,
  );
  if (!connection) throw unknownState();
  return connection;
}

/** The refusal of a state that opens nothing. */
export function unknownState(): DomainError {
  return new DomainError(
    'invalid',
    'invalid_or_expired_token',
    'This link is not valid, or no longer. Please begin again.',
  );
}
