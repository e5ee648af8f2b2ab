import { completeJob, transact } from '#src/database/transact.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError, ProviderError, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../../context.ts';
import { manageSubscription } from '../../payments/index.ts';
import { type Operation, readOperation } from '../operation.ts';

/** A subscription that a bulk change cancels. */
interface Cancellation {
  readonly operationId: string;
  readonly number: number;
  readonly subscriptionId: string;
}

/** Cancel a subscription at the payment provider. Repeating it has no further effect. */
export async function cancelSubscription(ctx: Context, cancellation: Cancellation): Promise<void> {
  const operation = await readOperation(ctx, 'bulk_change', cancellation.operationId);
  if (!operation || operation.state === 'canceled') return;
  const problem = await problemOfCanceling({ ...ctx, actor: operation.requestedBy }, operation, cancellation);
  if (problem !== undefined) await completeJob(ctx, (ctx) => recordRejection(ctx, cancellation, problem));
}

/** @returns why it cannot be canceled @throws ProviderError, Snooze where another attempt may succeed */
async function problemOfCanceling(
  ctx: Context,
  { options }: Operation,
  { subscriptionId }: Cancellation,
): Promise<string | undefined> {
  try {
    await manageSubscription(ctx, subscriptionId, {
      action: 'cancel',
      at_period_end: options['at_period_end'] !== false,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.kind === 'unavailable') throw error.cause instanceof ProviderError ? error.cause : later(error);
    return error.code === 'subscription_canceled' ? undefined : error.message;
  }
}

const later = ({ message }: DomainError) => new Snooze(minutes(1), message);

/** Record that the payment provider did not respond to any attempt. */
export async function rejectCancellation(ctx: Context, cancellation: Cancellation): Promise<void> {
  await transact(ctx, (ctx) => recordRejection(ctx, cancellation, 'The payment provider did not respond.'));
}

async function recordRejection(
  ctx: InTransaction,
  { operationId, number, subscriptionId }: Cancellation,
  problem: string,
): Promise<void> {
  await ctx.tx.execute(sql`
    with rejected as (
      insert into bulk_rejected_rows (tenant_id, operation_id, row_number, cells, problem)
      values (${ctx.tenant.id}, ${operationId}, ${number}, ${JSON.stringify([subscriptionId])}::jsonb, ${problem})
      on conflict do nothing returning 1)
    update bulk_operations set rows_failed = rows_failed + 1, updated = updated - 1
    where tenant_id = ${ctx.tenant.id} and id = ${operationId} and exists (select from rejected)`);
}
