import { finishSecretRotation as finishSecretRotationJob } from '#jobs/payments.ts';
import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { DomainError, notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import { useCode } from '../confirmations/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { codePurpose, leaseMs, rotateSecret } from './secret-rotation.ts';

interface Confirmation {
  readonly rotationId: string;
  /** The one-time password. */
  readonly code: string;
}

/**
 * Replace the secret that the payment provider signs with, and tell the new one. Within ten minutes the same
 * confirmation tells it again, and then nothing does. What it began is finished, whatever happens to this process.
 *
 * @throws DomainError not_found; `invalid_or_expired_token` for a wrong code, or one that is no longer good;
 *   `version_conflict` while it is being confirmed; or what became of the provider
 */
export async function confirmSecretRotation(ctx: Context, confirmation: Confirmation): Promise<{ secret: string }> {
  const { rotationId } = confirmation;
  const check = await transact(ctx, (ctx) => verifyCode(ctx, confirmation));
  if (check === 'busy') throw busy();
  if (check === 'refused') throw invalidCode();
  try {
    return await rotateSecret(ctx, rotationId);
  } finally {
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      update payment_secret_rotations set leased_until = null
      where tenant_id = ${ctx.tenant.id} and id = ${rotationId}`),
    );
  }
}

type CodeCheck = 'granted' | 'refused' | 'busy';

const busy = () => new DomainError('conflict', 'version_conflict', 'This is being confirmed at the moment.');
const invalidCode = () =>
  new DomainError('invalid', 'invalid_or_expired_token', 'This code is not valid, or no longer.');

/** A wrong code counts, also where the answer is a refusal: this transaction commits. */
async function verifyCode(ctx: InTransaction, { rotationId, code }: Confirmation): Promise<CodeCheck> {
  const now = ctx.clock.now();
  const [rotation] = await ctx.tx.execute<{ leasedUntil: Date | null }>(sql`
    select leased_until as "leasedUntil" from payment_secret_rotations
    where tenant_id = ${ctx.tenant.id} and id = ${rotationId} for update`);
  if (!rotation) throw notFound('rotation');
  if (!(await useCode(ctx, { id: rotationId, purpose: codePurpose, code }, { mayRepeat: true }))) {
    await recordAudit(ctx, {
      action: 'payment_webhook_secret.confirmation_rejected',
      subjectKind: 'payment_webhook_secret',
      subjectId: rotationId,
    });
    return 'refused';
  }
  if (rotation.leasedUntil && rotation.leasedUntil > now) return 'busy';
  const leasedUntil = fromNow(ctx.clock, leaseMs);
  await ctx.tx.execute(sql`
    update payment_secret_rotations set leased_until = ${leasedUntil}, confirmed_at = coalesce(confirmed_at, ${now}),
      state = case when state = 'requested' then 'confirmed' else state end
    where tenant_id = ${ctx.tenant.id} and id = ${rotationId}`);
  enqueue(ctx, finishSecretRotationJob, { rotationId }, { dueAt: leasedUntil });
  return 'granted';
}
