import { runOnPlatformTables } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { sessionSecretField } from './session-secret.ts';

/** An encryption key that opens the secret of none of the stores for which it was sealed with it. */
export interface ClosedKey {
  readonly keyId: string;
  readonly stores: number;
  /** Whether the keyring has a key with this id, which then is a different one. */
  readonly isOther: boolean;
}

/** The encryption keys that sealed stores' secrets, and that the keyring lacks or has as different ones. */
export async function findClosedKeys(ctx: PlatformContext): Promise<ClosedKey[]> {
  const secrets = await runOnPlatformTables<{ tenantId: string; sealed: string }>(
    ctx,
    sql`select id as "tenantId", session_secret_sealed as sealed from tenants`,
  );
  const byKey = Map.groupBy(secrets, ({ sealed }) => sealed.slice(0, sealed.indexOf(':')));
  return [...byKey]
    .filter(([, sealedWithIt]) => !sealedWithIt.some(({ tenantId, sealed }) => opens(ctx, tenantId, sealed)))
    .map(([keyId, { length: stores }]) => ({ keyId, stores, isOther: ctx.keyring.ids.includes(keyId) }));
}

function opens({ keyring }: PlatformContext, tenantId: string, sealed: string): boolean {
  try {
    keyring.open(tenantId, sessionSecretField, sealed);
    return true;
  } catch {
    return false;
  }
}
