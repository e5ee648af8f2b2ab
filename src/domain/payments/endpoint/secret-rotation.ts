import { finishSecretRotation as finishSecretRotationJob } from '#jobs/payments.ts';
import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { DomainError, invalidOrExpired, notFound, Snooze } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../../audit/index.ts';
import { requestCode, useCode } from '../../confirmations/index.ts';
import type { Context, InTransaction } from '../../context.ts';
import { isVerified } from '../../second-factor.ts';
import { openAccount } from '../accounts/payment-account.ts';
import { providerFailureOf } from '../provider-calls.ts';
import { replaceWebhookEndpoint } from './webhook-endpoint.ts';

/**
 * Begin to replace the secret that the payment provider signs with: the store's owner is emailed a one-time password
 * to confirm it, unless a member of the staff whose session is verified begins it. An earlier rotation can no longer be confirmed.
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
      isEmailed: !isVerified(ctx),
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

interface Confirmation {
  readonly rotationId: string;
  /** The one-time password. Not needed by a member of the staff whose session is verified. */
  readonly code: string | null;
}

/**
 * Replace the secret that the payment provider signs with, and return the new one. Within ten minutes the same
 * confirmation returns it again; after that nothing does. A job finishes the rotation if this process dies.
 *
 * @throws DomainError not_found; `invalid_or_expired_token` for a wrong or expired code; `version_conflict` while
 *   another request confirms it; or the error of a failed call to the provider
 */
export async function confirmSecretRotation(ctx: Context, confirmation: Confirmation): Promise<{ secret: string }> {
  const { rotationId } = confirmation;
  const check = await transact(ctx, (ctx) => verifyCode(ctx, confirmation));
  if (check === 'busy') throw busy();
  if (check === 'refused') throw invalidOrExpired('code');
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

const busy = () =>
  new DomainError(
    'conflict',
    'version_conflict',
    'Another confirmation of this rotation is in progress. Try again in a moment.',
  );

/** A wrong code is counted: this transaction commits, and the caller throws the error. */
async function verifyCode(ctx: InTransaction, { rotationId, code }: Confirmation): Promise<CodeCheck> {
  const now = ctx.clock.now();
  const [rotation] = await ctx.tx.execute<{ leasedUntil: Date | null }>(sql`
    select leased_until as "leasedUntil" from payment_secret_rotations
    where tenant_id = ${ctx.tenant.id} and id = ${rotationId} for update`);
  if (!rotation) throw notFound('rotation');
  const confirmed = { id: rotationId, purpose: codePurpose, code };
  if (!(await useCode(ctx, confirmed, { mayRepeat: true, isCodeNeeded: !isVerified(ctx) }))) {
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

/**
 * Finish a confirmed rotation whose process died or whose provider failed. The secret is stored and never shown.
 */
export async function finishSecretRotation(ctx: Context, { rotationId }: { rotationId: string }): Promise<void> {
  const rotation = await readOne<{ leasedUntil: Date | null }>(
    ctx,
    sql`
    select leased_until as "leasedUntil" from payment_secret_rotations r
    where tenant_id = ${ctx.tenant.id} and id = ${rotationId} and state = 'confirmed' and not exists (
      select from payment_secret_rotations n
      where n.tenant_id = ${ctx.tenant.id} and (n.created_at, n.id) > (r.created_at, r.id) and n.state <> 'requested')`,
  );
  if (!rotation) return;
  const heldMs = (rotation.leasedUntil?.getTime() ?? 0) - ctx.clock.now().getTime();
  if (heldMs > 0) throw new Snooze(heldMs, 'a request of the owner confirms it right now');
  try {
    await rotateSecret(ctx, rotationId);
  } catch (error) {
    throw new Snooze(minutes(1), providerFailureOf(error).message);
  }
}

/** What the one-time password is bound to, beside its rotation. Renaming it makes open passwords invalid. */
const codePurpose = 'payments.rotate-webhook-secret';

/** Longer than all calls to the provider of one confirmation. */
const leaseMs = seconds(90);

/**
 * Carry out a confirmed rotation. It can be repeated: the provider returns the same secret for the same rotation.
 * @throws DomainError when a call to the provider fails
 */
async function rotateSecret(ctx: Context, rotationId: string): Promise<{ secret: string }> {
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
