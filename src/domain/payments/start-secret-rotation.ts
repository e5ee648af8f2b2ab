import { transact } from '#src/database/transact.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import { requestCode } from '../confirmations/index.ts';
import type { Context } from '../context.ts';
import { openAccount } from './open-account.ts';
import { codePurpose } from './secret-rotation.ts';

/**
 * Begin to replace the secret that the payment provider signs with: a one-time password goes to the store's owner, who
 * confirms with it. A rotation that was begun before can no longer be confirmed.
 *
 * @throws DomainError `payment_provider_not_configured`, or `rate_limited` after several in an hour
 */
export async function startSecretRotation(ctx: Context): Promise<{ rotationId: string }> {
  await openAccount(ctx);
  return transact(ctx, async (ctx) => {
    const rotationId = newId('rot');
    await requestCode(ctx, {
      id: rotationId,
      purpose: codePurpose,
      action: 'replace the secret that signs your payment webhooks',
    });
    await ctx.tx.execute(sql`
      insert into payment_secret_rotations (tenant_id, id, state, created_at)
      values (${ctx.tenant.id}, ${rotationId}, 'requested', ${ctx.clock.now()})`);
    await recordAudit(ctx, {
      action: 'payment_webhook_secret.rotation_requested',
      subjectKind: 'payment_webhook_secret',
      subjectId: rotationId,
    });
    return { rotationId };
  });
}
