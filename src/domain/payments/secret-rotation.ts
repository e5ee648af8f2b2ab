import { completeJob } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { replaceWebhookEndpoint } from './replace-webhook-endpoint.ts';

/** What the one-time password is bound to, beside its rotation. A shipped purpose is never renamed. */
export const codePurpose = 'payments.rotate-webhook-secret';

/** Outlives every call to the provider that a confirmation makes. */
export const leaseMs = seconds(90);

/**
 * Do what was confirmed, and write down that it is done. It can be repeated: the provider answers the same secret to
 * the same rotation.
 * @throws DomainError when the provider does not do its part
 */
export async function rotateSecret(ctx: Context, rotationId: string): Promise<{ secret: string }> {
  const { secret } = await replaceWebhookEndpoint(ctx, { name: `rotate:${rotationId}` });
  await completeJob(ctx, async (ctx) => {
    const done = await ctx.tx.execute(sql`
      update payment_secret_rotations set state = 'done'
      where tenant_id = ${ctx.tenant.id} and id = ${rotationId} and state = 'confirmed' returning id`);
    if (done.length === 0) return;
    await recordAudit(ctx, {
      action: 'payment_webhook_secret.rotated',
      subjectKind: 'payment_webhook_secret',
      subjectId: rotationId,
    });
  });
  return { secret };
}
