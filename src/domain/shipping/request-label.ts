import { purchaseLabel } from '#jobs/labels.ts';
import { fromNow } from '#src/lib/clock.ts';
import { found } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { enqueue, recordEvent } from '#src/outbox/enqueue.ts';
import { closeFailed } from '#src/outbox/job-state.ts';
import type { InTransaction } from '../context.ts';
import { lockOrder, type Order } from '../orders/index.ts';
import type { Label, SkipReason } from './label.ts';

/**
 * Enqueue the label of an order that was paid. Problems are found by the job, so that nothing here can delay the order.
 * An order without goods to ship needs no label.
 *
 * An order has one label: requesting it again changes nothing. It is written just before the commit.
 */
export async function requestLabel(ctx: InTransaction, { orderId }: { orderId: string }): Promise<void> {
  const order = found(await lockOrder(ctx, orderId), 'order');
  const labelId = newId('lbl');
  const skipped = order.fulfillmentStatus === 'not_required' ? order.fulfillmentStatus : null;
  ctx.tx.changes.push(insertLabel(ctx, order, { labelId, skipped }));
  if (skipped) return;
  const [firstWaitMs = 0] = ctx.settings.labelRetryScheduleMs;
  enqueue(ctx, purchaseLabel, { labelId, attempt: 1 }, { dueAt: fromNow(ctx.clock, firstWaitMs) });
}

interface NewLabel {
  readonly labelId: string;
  readonly skipped?: SkipReason | null;
  readonly requestedManually?: boolean;
}

/** The statement that inserts an order's label, queued unless it is skipped. One that it has already stays. */
export function insertLabel(
  ctx: InTransaction,
  { id: orderId, orderNumber }: Pick<Order, 'id' | 'orderNumber'>,
  { labelId, skipped = null, requestedManually = false }: NewLabel,
): Sql {
  const now = ctx.clock.now();
  return sql`
    insert into labels (tenant_id, id, order_id, order_number, state, reason_code, latest_attempt, failed_attempts,
      chosen_manually, requested_manually, buy_number, rechecks, version, created_at, updated_at)
    values (${ctx.tenant.id}, ${labelId}, ${orderId}, ${orderNumber}, ${skipped ? 'skipped' : 'queued'}, ${skipped}, 1,
      0, false, ${requestedManually}, 0, 0, 1, ${now}, ${now})
    on conflict (tenant_id, order_id) where state <> 'voided' do nothing`;
}

/**
 * Enqueue the label's next attempt, under a key of its own. Failed jobs of earlier ones leave the board: the label has
 * one there, and what was flagged since is not decided by retrying them.
 */
export async function enqueueAttempt(ctx: InTransaction, label: Label, at: Date): Promise<void> {
  if (label.flaggedCode) await closeFailedJobs(ctx, label);
  enqueue(ctx, purchaseLabel, { labelId: label.id, attempt: label.nextAttempt(at) }, { dueAt: at });
}

/** No label is bought for the order after all. The label is locked or held. */
export async function skipLabel(ctx: InTransaction, label: Label, reason: SkipReason): Promise<void> {
  label.skip(reason);
  label.updatedAt = ctx.clock.now();
  recordEvent(ctx, 'label.skipped', label.id);
  await closeFailedJobs(ctx, label);
}

/** Close the failed jobs of a label, so that they leave the board. */
export async function closeFailedJobs(ctx: InTransaction, label: Label): Promise<void> {
  const keys = Array.from({ length: label.latestAttempt }, (_, index) =>
    purchaseLabel.key({ labelId: label.id, attempt: index + 1 }),
  );
  await closeFailed(ctx.tx.execute, { tenantId: ctx.tenant.id, job: purchaseLabel.name, keys }, ctx.clock.now());
}
