import { fromNow } from '#src/lib/clock.ts';
import { hours } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { transact } from '../database.ts';
import { promiseMail } from '../mail/index.ts';
import { openAccount } from './open-account.ts';
import { codePurpose, confirmableMs } from './secret-rotation.ts';

/** Few codes of few digits leave little to guess. */
const perHourMax = 5;

/**
 * Begin to replace the secret that the payment provider signs with: a one-time password goes to the store's owner, who
 * confirms with it. A rotation that was begun before can no longer be confirmed.
 *
 * @throws DomainError `payment_provider_not_configured`, or `rate_limited` after several in an hour
 */
export async function startSecretRotation(ctx: Context): Promise<{ rotationId: string }> {
  await openAccount(ctx);
  return transact(ctx, async (ctx) => {
    await ctx.tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`rotate secret ${ctx.tenant.id}`}, 0))`);
    const [begun] = await ctx.tx.run<{ count: number }>(sql`
      select count(*)::int as count from payment_secret_rotations
      where tenant_id = ${ctx.tenant.id} and created_at > ${fromNow(ctx.clock, -hours(1))}`);
    if (begun && begun.count >= perHourMax) throw tooMany();

    const rotationId = newId('rot');
    await ctx.tx.run(sql`
      insert into payment_secret_rotations (tenant_id, id, state, created_at)
      values (${ctx.tenant.id}, ${rotationId}, 'requested', ${ctx.clock.now()})`);
    await promiseMail(ctx, {
      kind: 'one_time_password',
      to: ctx.tenant.ownerEmail,
      data: {
        purpose: codePurpose,
        action: 'replace the secret that signs your payment webhooks',
        valid_minutes: confirmableMs / 60_000,
      },
      subjectId: rotationId,
    });
    await recordAudit(ctx, {
      action: 'payment_webhook_secret.rotation_requested', subjectKind: 'payment_webhook_secret', subjectId: rotationId,
    });
    return { rotationId };
  });
}

const tooMany = () =>
  new DomainError('too_many', 'rate_limited', 'Too many codes were asked for. Wait a while.', {
    retryAfterSeconds: 600,
  });
