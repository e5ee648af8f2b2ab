import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { type ApiKey, keyColumns } from './api-key.ts';

/**
 * Refuse this key from now on, everywhere within five seconds. One that was revoked before stays as it is. Whoever
 * calls records it in the audit log.
 * @throws DomainError `not_found`
 */
export async function revokeKey(ctx: InTransaction, { id }: { id: string }): Promise<ApiKey> {
  const [key] = await ctx.tx.execute<ApiKey>(sql`
    update api_keys set revoked_at = coalesce(revoked_at, ${ctx.clock.now()})
    where tenant_id = ${ctx.tenant.id} and id = ${id}
    returning ${keyColumns}`);
  if (!key) throw notFound('key');
  return key;
}
