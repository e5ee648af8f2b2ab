import { LockMode } from '@mikro-orm/core';
import { resumeLabels as resumeLabelsJob } from '#jobs/labels.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { hours } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { Label } from './label.ts';
import { resume } from './label-lease.ts';
import { enqueueAttempt } from './request-label.ts';
import type { OpenedAccount } from './shipping-account.ts';

/** How many labels one attempt resumes. */
const batchSize = 100;

/**
 * The provider rejected the account's key. No other label calls the provider until a new key is saved, a check of the
 * account succeeds or an operator retries a label that waits for it. There is one alert, however many labels wait.
 */
export async function pauseLabels(ctx: Context, account: OpenedAccount): Promise<void> {
  const now = ctx.clock.now();
  const [paused] = await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update shipping_accounts set paused_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and id = ${account.id} and paused_at is null returning id`),
  );
  if (paused) ctx.log.error({ store: ctx.tenant.slug }, 'labels are paused: the shipping provider rejected the key');
}

/** The key works after all: resume the labels that wait. */
export async function resumeIfPaused(ctx: Context, account: OpenedAccount): Promise<void> {
  if (account.isPaused) await transact(ctx, unpause);
}

/** Resume every label of the store that waits for its account. */
export async function unpause(ctx: InTransaction): Promise<void> {
  const [resumed] = await ctx.tx.execute<{ id: string; version: number }>(sql`
    update shipping_accounts set paused_at = null, version = version + 1
    where tenant_id = ${ctx.tenant.id} and paused_at is not null returning id, version`);
  if (resumed) enqueue(ctx, resumeLabelsJob, { accountId: resumed.id, version: resumed.version, number: 1 });
}

/** Enqueue the labels again that waited for the account, one batch in each attempt. */
export async function resumeLabels(
  ctx: Context,
  { accountId, version, number }: { accountId: string; version: number; number: number },
): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const waiting = await ctx.tx.em.find(
      Label,
      { tenantId: ctx.tenant.id, state: 'needs_attention', reasonCode: 'provider_auth' },
      { orderBy: { id: 'asc' }, limit: batchSize, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    for (const label of waiting) {
      resume(label);
      label.updatedAt = ctx.clock.now();
      await enqueueAttempt(ctx, label, ctx.clock.now());
    }
    if (waiting.length === batchSize) enqueue(ctx, resumeLabelsJob, { accountId, version, number: number + 1 });
  });
}

/** How long a job waits while the provider rejects the account's key. */
const laterMs = hours(1);

/**
 * Handle a rejected key in a job other than a label's purchase: pause the labels and snooze the job. Any other error is
 * left to the caller.
 *
 * @throws Snooze
 */
export async function laterIfDenied(ctx: Context, account: OpenedAccount | undefined, error: unknown): Promise<void> {
  if (!(error instanceof ProviderError) || error.failure !== 'denied') return;
  if (account) await pauseLabels(ctx, account);
  throw new Snooze(laterMs, 'the shipping provider rejected the key of the account');
}
