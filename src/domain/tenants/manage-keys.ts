import { lockNames } from '#src/database/lock-names.ts';
import { runOnPlatformTables } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest } from '#src/lib/cursor.ts';
import { invalidRequest, notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Change, FieldValues } from '../change.ts';
import type { Context, InTransaction, PlatformContext } from '../context.ts';
import {
  type ApiKey,
  hashKey,
  hintOf,
  idOfPepper,
  type KeyKind,
  keyColumns,
  keyError,
  newKey,
  rejectWideKey,
  type Scope,
} from './api-key.ts';

/**
 * Create the key of this name, or change the scopes, the limit and the expiry of the existing one, whose value stays.
 * @throws DomainError `invalid_request` as `issueKey`, or when the existing key is of the other kind
 */
export async function saveKey(ctx: InTransaction, wanted: KeyToIssue): Promise<{ change: Change; issued?: IssuedKey }> {
  const subject = `key ${wanted.name}`;
  await lockNames(ctx, 'key', [wanted.name]);
  const [known] = await ctx.tx.execute<ApiKey>(sql`
    select ${keyColumns} from api_keys
    where tenant_id = ${ctx.tenant.id} and name = ${wanted.name} and revoked_at is null for update`);
  if (!known) return { change: { subject, action: 'created', fields: [] }, issued: await issueKey(ctx, wanted) };

  rejectWideKey(wanted);
  const { requestsPerMinute = null } = wanted;
  if (known.kind !== wanted.kind) throw keyError('/kind', `The key "${known.name}" is ${known.kind}; revoke it first.`);
  const values: FieldValues = {
    ...(!sameScopes(known.scopes, wanted.scopes) && { scopes: [known.scopes, wanted.scopes] }),
    ...(known.requestsPerMinute !== requestsPerMinute && {
      requests_per_minute: [known.requestsPerMinute, requestsPerMinute],
    }),
    ...(known.expiresAt?.getTime() !== wanted.expiresAt?.getTime() && {
      expires_at: [known.expiresAt, wanted.expiresAt],
    }),
  };
  const fields = Object.keys(values);
  if (fields.length === 0) return { change: { subject, action: 'unchanged', fields } };
  if ('expires_at' in values) rejectPastExpiry(ctx, wanted);
  await ctx.tx.execute(sql`
    update api_keys set scopes = ${JSON.stringify(wanted.scopes)}, requests_per_minute = ${requestsPerMinute},
      expires_at = ${wanted.expiresAt}
    where tenant_id = ${ctx.tenant.id} and id = ${known.id}`);
  return { change: { subject, action: 'updated', fields, values } };
}

/** A key that opens nothing from the start is a mistake. One that expired since it was made stays as it is. */
function rejectPastExpiry({ clock }: InTransaction, { expiresAt }: Pick<KeyToIssue, 'expiresAt'>): void {
  if (!expiresAt || expiresAt > clock.now()) return;
  throw invalidRequest('expires_at must be in the future.', {
    path: '/expires_at',
    code: 'past',
    detail: 'must be in the future',
  });
}

function sameScopes(left: readonly Scope[], right: readonly Scope[]): boolean {
  return left.length === right.length && left.every((scope) => right.includes(scope));
}

export interface KeyToIssue {
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** Default: the limit of its kind. */
  readonly requestsPerMinute?: number | null | undefined;
}

/** A new key with its value. Only its hash is stored, so this is the only time that the value is known. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly value: string;
}

/**
 * Create a key of the context's store, for this environment. The caller records it in the audit log.
 * @throws DomainError `invalid_request` when a publishable key would hold more than a shopper may, the expiry is past,
 *   or the name is taken
 */
export async function issueKey(
  ctx: InTransaction,
  { name, kind, scopes, expiresAt, requestsPerMinute = null }: KeyToIssue,
): Promise<IssuedKey> {
  rejectWideKey({ kind, scopes });
  rejectPastExpiry(ctx, { expiresAt });
  await lockNames(ctx, 'key', [name]);
  const value = newKey(kind, ctx.settings.appMode);
  const [key] = await ctx.tx.execute<ApiKey>(sql`
    insert into api_keys (id, tenant_id, name, kind, scopes, hash, pepper_id, hint, requests_per_minute,
      expires_at, created_at)
    values (${newId('key')}, ${ctx.tenant.id}, ${name}, ${kind}, ${JSON.stringify(scopes)},
      ${hashKey(ctx.settings.keyPepper, value)}, ${idOfPepper(ctx.settings.keyPepper)}, ${hintOf(value)},
      ${requestsPerMinute}, ${expiresAt}, ${ctx.clock.now()})
    on conflict (tenant_id, name) where revoked_at is null do nothing
    returning ${keyColumns}`);
  if (!key) throw keyError('/name', `There is a key of the name "${name}" already.`);
  return { key, value };
}

/**
 * Revoke a key: within five seconds every process rejects it. A key that was revoked before stays as it is. The caller
 * records it in the audit log.
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

/** The key of the context's store that is not revoked and has this id, or else this name. */
export async function findKey(ctx: Context, idOrName: string): Promise<ApiKey | undefined> {
  const isId = sql`id = ${idOrName}`;
  const [key] = await runOnPlatformTables<ApiKey>(
    ctx,
    sql`
    select ${keyColumns} from api_keys
    where tenant_id = ${ctx.tenant.id} and revoked_at is null and (${isId} or name = ${idOrName})
    order by ${isId} desc limit 1`,
  );
  return key;
}

/** The keys of the context's store, revoked ones included, oldest first. */
export async function listKeys(ctx: Context, { cursor, limit = 100 }: PageRequest = {}): Promise<Page<ApiKey>> {
  const list = keyset(ctx, 'keys', { columns: ['id'] }, cursor);
  const rows = await runOnPlatformTables<ApiKey & { position: string[] }>(
    ctx,
    sql`
    select ${keyColumns}, ${list.position} as position from api_keys
    where tenant_id = ${ctx.tenant.id} and ${list.after} order by ${list.by} limit ${limit + 1}`,
  );
  return list.page(rows, limit);
}

/** Count the keys of all stores that are not revoked, and those that were hashed with another pepper than ours. */
export async function countKeys(ctx: PlatformContext): Promise<{ keys: number; keysOfOtherPepper: number }> {
  const isOther = sql`pepper_id <> ${idOfPepper(ctx.settings.keyPepper)}`;
  const [counts] = await runOnPlatformTables<{ keys: number; keysOfOtherPepper: number }>(
    ctx,
    sql`
    select count(*) as keys, count(*) filter (where ${isOther}) as "keysOfOtherPepper"
    from api_keys join tenants on tenants.id = tenant_id and removed_at is null where revoked_at is null`,
  );
  return counts ?? { keys: 0, keysOfOtherPepper: 0 };
}
