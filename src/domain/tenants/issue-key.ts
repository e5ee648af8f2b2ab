import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { type ApiKey, keyColumns, rejectKey, rejectWideKey } from './api-key.ts';
import { hashKey, hintOf, type KeyKind, newKey } from './api-key-format.ts';
import type { Scope } from './scopes.ts';

export interface KeyToIssue {
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** The default holds where it is left out. */
  readonly requestsPerMinute?: number | null | undefined;
}

/** A new key, and its characters: they are kept as a hash only, so this is the one time that they are told. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly value: string;
}

/**
 * Make a key of the context's store, for this environment. Whoever calls records it in the audit log.
 * @throws DomainError `invalid_request` when a publishable key would hold more than a shopper may, or the name is taken
 */
export async function issueKey(
  ctx: InTransaction,
  { name, kind, scopes, expiresAt, requestsPerMinute = null }: KeyToIssue,
): Promise<IssuedKey> {
  rejectWideKey({ kind, scopes });
  const value = newKey(kind, ctx.settings.appMode);
  const [key] = await ctx.tx.execute<ApiKey>(sql`
    insert into api_keys (id, tenant_id, name, kind, scopes, hash, hint, requests_per_minute, expires_at,
      created_at)
    values (${newId('key')}, ${ctx.tenant.id}, ${name}, ${kind}, ${JSON.stringify(scopes)},
      ${hashKey(ctx.settings.keyPepper, value)}, ${hintOf(value)}, ${requestsPerMinute},
      ${expiresAt}, ${ctx.clock.now()})
    on conflict (tenant_id, name) where revoked_at is null do nothing
    returning ${keyColumns}`);
  if (!key) throw rejectKey('/name', `There is a key of the name "${name}" already.`);
  return { key, value };
}
