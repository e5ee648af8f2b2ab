import { runOnPlatformTables } from '#src/database/transact.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction, PlatformContext } from '../context.ts';

/** The secret that signs a store's sessions and derives its tokens, and its number among the store's secrets. */
export interface SessionSecret {
  readonly number: number;
  readonly secret: string;
}

/** The secret of the context's store. Never logged, never sent. */
export async function readSessionSecret(ctx: Context): Promise<SessionSecret> {
  const [row] = await runOnPlatformTables<{ number: number; sealed: string }>(
    ctx,
    sql`
    select session_secret_number as number, session_secret_sealed as sealed from tenants where id = ${ctx.tenant.id}`,
  );
  if (!row) throw new TypeError('The store of this context does not exist.');
  return { number: row.number, secret: ctx.keyring.open(ctx.tenant.id, sessionSecretField, row.sealed) };
}

/**
 * Give the store a new secret, because the old one may be known, or the key that sealed it was lost. Every customer is
 * signed out, and sign-in links that were sent before no longer work. Links to saved carts and unsubscribe links still
 * do: they give little access, and an unsubscribe link has to work for a year. The secret of the staff is replaced only
 * if its key was lost.
 */
export async function rotateSessionSecret(ctx: InTransaction): Promise<void> {
  await ctx.tx.execute(sql`
    update tenants set session_secret_sealed = ${sealSessionSecret(ctx, ctx.tenant.id, randomText(48))},
      session_secret_number = session_secret_number + 1,
      staff_secret_sealed = case when split_part(staff_secret_sealed, ':', 1) = any(${[...ctx.keyring.ids]})
        then staff_secret_sealed end, version = version + 1, updated_at = ${ctx.clock.now()}
    where id = ${ctx.tenant.id}`);
}

export function sealSessionSecret(ctx: Pick<PlatformContext, 'keyring'>, tenantId: string, secret: string): string {
  return ctx.keyring.seal(tenantId, sessionSecretField, secret);
}

/** The field name that the sealed secret is bound to, besides its store. */
export const sessionSecretField = 'session_secret';
