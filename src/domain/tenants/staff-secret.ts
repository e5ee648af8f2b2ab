import { runOnPlatformTables } from '#src/database/transact.ts';
import { randomText } from '#src/lib/crypto.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/**
 * The secret from which the sign-in links of a store's staff are derived: another than that of its customers. It is
 * created when it is first needed.
 */
export async function readStaffSecret(ctx: Context): Promise<{ secret: string }> {
  const read = async (statement: Sql) =>
    (await runOnPlatformTables<{ sealed: string | null }>(ctx, statement))[0]?.sealed;
  const sealed =
    (await read(sql`select staff_secret_sealed as sealed from tenants where id = ${ctx.tenant.id}`)) ??
    (await read(sql`
      update tenants set staff_secret_sealed =
        coalesce(staff_secret_sealed, ${ctx.keyring.seal(ctx.tenant.id, staffSecretField, randomText(48))})
      where id = ${ctx.tenant.id} returning staff_secret_sealed as sealed`));
  if (!sealed) throw new TypeError('The store of this context does not exist.');
  return { secret: ctx.keyring.open(ctx.tenant.id, staffSecretField, sealed) };
}

/** The field name that the sealed secret is bound to, besides its store. */
export const staffSecretField = 'staff_secret';
