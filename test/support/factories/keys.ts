import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import type { KeyKind } from '#src/domain/tenants/api-key.ts';
import { issueKey, type Scope } from '#src/domain/tenants/index.ts';
import { randomText } from '#src/lib/crypto.ts';

/** The characters of a new key of the context's store. */
export async function buildKey(
  ctx: Context,
  scopes: readonly Scope[],
  kind: KeyKind = 'secret',
  requestsPerMinute: number | null = null,
): Promise<string> {
  const { value } = await transact(ctx, (ctx) =>
    issueKey(ctx, { name: randomText(8), kind, scopes, expiresAt: null, requestsPerMinute }),
  );
  return value;
}
