import { runOnPlatformTables } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { sessionSecretField } from './session-secret.ts';

/** An encryption key with which the secrets of stores are sealed. */
export interface SealingKey {
  readonly keyId: string;
  readonly stores: number;
  /** Whether the keyring has a key with this id. */
  readonly isKnown: boolean;
  /** Whether that key opens the secret of any of these stores. Otherwise it is a different one. */
  readonly opens: boolean;
}

export async function readSealingKeys(ctx: PlatformContext): Promise<SealingKey[]> {
  const secrets = await runOnPlatformTables<{ tenantId: string; sealed: string }>(
    ctx,
    sql`select id as "tenantId", session_secret_sealed as sealed from tenants where removed_at is null`,
  );
  const opens = ({ tenantId, sealed }: { tenantId: string; sealed: string }) => {
    try {
      ctx.keyring.open(tenantId, sessionSecretField, sealed);
      return true;
    } catch {
      return false;
    }
  };
  return [...Map.groupBy(secrets, ({ sealed }) => sealed.slice(0, sealed.indexOf(':')))].map(([keyId, sealedWith]) => ({
    keyId,
    stores: sealedWith.length,
    isKnown: ctx.keyring.ids.includes(keyId),
    opens: sealedWith.some(opens),
  }));
}
