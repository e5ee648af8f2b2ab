import { sql } from '#src/lib/sql.ts';
import type { Change, FieldValues } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { type ApiKey, keyColumns, rejectKey, rejectWideKey } from './api-key.ts';
import { type IssuedKey, issueKey, type KeyToIssue } from './issue-key.ts';
import type { Scope } from './scopes.ts';

/**
 * Make the key of this name, or give the one there is these scopes, this limit and this expiry: it keeps its characters, so that
 * whoever uses it notices nothing.
 * @throws DomainError `invalid_request` as `issueKey`, or when the key there is is of the other kind
 */
export async function saveKey(ctx: InTransaction, wanted: KeyToIssue): Promise<{ change: Change; issued?: IssuedKey }> {
  const subject = `key ${wanted.name}`;
  const [known] = await ctx.tx.execute<ApiKey>(sql`
    select ${keyColumns} from api_keys
    where tenant_id = ${ctx.tenant.id} and name = ${wanted.name} and revoked_at is null for update`);
  if (!known) return { change: { subject, action: 'created', fields: [] }, issued: await issueKey(ctx, wanted) };

  rejectWideKey(wanted);
  const { requestsPerMinute = null } = wanted;
  if (known.kind !== wanted.kind)
    throw rejectKey('/kind', `The key "${known.name}" is ${known.kind}; revoke it first.`);
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
  await ctx.tx.execute(sql`
    update api_keys set scopes = ${JSON.stringify(wanted.scopes)}, requests_per_minute = ${requestsPerMinute}, expires_at = ${wanted.expiresAt}
    where tenant_id = ${ctx.tenant.id} and id = ${known.id}`);
  return { change: { subject, action: 'updated', fields, values } };
}

function sameScopes(left: readonly Scope[], right: readonly Scope[]): boolean {
  return left.length === right.length && left.every((scope) => right.includes(scope));
}
