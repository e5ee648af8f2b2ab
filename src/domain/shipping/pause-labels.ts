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
import type { OpenedAccount } from './open-account.ts';
import { enqueueAttempt } from './request-label.ts';

/** How many labels one run promises again. */
const batchSize = 100;

/**
 * The account does not open: until a new key is saved, a check finds it open or an operator retries a label that waits for
 * it, no other label asks the provider. There is one alert, however many labels wait.
 */
export async function pauseLabels(ctx: Context, account: OpenedAccount): Promise<void> {
  const now = ctx.clock.now();
  const [paused] = await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update shipping_accounts set paused_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and id = ${account.id} and paused_at is null returning id`),
  );
  if (paused)
    ctx.log.error({ store: ctx.tenant.slug }, 'labels are paused: the parcel provider does not accept the key');
}

/** It opens again after all: the labels that wait are promised again. */
export async function resumeIfPaused(ctx: Context, account: OpenedAccount): Promise<void> {
  if (account.pausedAt) await transact(ctx, unpause);
}

/** Ask the provider again, for every label of the store that waited for its account. */
export async function unpause(ctx: InTransaction): Promise<void> {
  const [resumed] = await ctx.tx.execute<{ id: string; version: number }>(sql`
    update shipping_accounts set paused_at = null, version = version + 1
    where tenant_id = ${ctx.tenant.id} and paused_at is not null returning id, version`);
  if (resumed) enqueue(ctx, resumeLabelsJob, { accountId: resumed.id, version: resumed.version, number: 1 });
}

/** Promise the labels again that waited for an account that opens, a batch in each run. */
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
      enqueueAttempt(ctx, label, ctx.clock.now());
    }
    if (waiting.length === batchSize) enqueue(ctx, resumeLabelsJob, { accountId, version, number: number + 1 });
  });
}

/** How long work waits that an account which does not open holds up. */
const laterMs = hours(1);

/**
 * What is done about an account that does not open by work that is no label's own run: the same one alert, and the
 * work is come back to. Any other error is left to the caller.
 *
 * @throws Snooze
 */
export async function laterIfDenied(ctx: Context, account: OpenedAccount | undefined, error: unknown): Promise<void> {
  if (!(error instanceof ProviderError) || error.failure !== 'denied') return;
  if (account) await pauseLabels(ctx, account);
  throw new Snooze(laterMs, 'the account at the parcel provider does not open');
}
