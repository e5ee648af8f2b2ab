import { purchaseLabel } from '#jobs/labels.ts';
import { fromNow } from '#src/lib/clock.ts';
import { notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { enqueue, recordEvent } from '#src/outbox/enqueue.ts';
import { closeFailed } from '#src/outbox/job-state.ts';
import type { InTransaction } from '../context.ts';
import { hasGoodsToShip, lockOrder, type Order, recordFulfillment } from '../orders/index.ts';
import type { Label, LabelState, SkipReason } from './label.ts';

/**
 * Enqueue the label of an order that was paid. Problems are found by the job, so that nothing here can delay the order.
 * An order without goods to ship needs no label, and its fulfillment status says so.
 *
 * An order has one label: requesting it again changes nothing.
 */
export async function requestLabel(ctx: InTransaction, { orderId }: { orderId: string }): Promise<void> {
  const order = await lockOrder(ctx, orderId);
  if (!order) throw notFound('order');
  const state = sql`case when ${hasGoodsToShip(ctx, orderId)} then 'queued' else 'skipped' end`;
  const label = await insertLabel(ctx, order, { state });
  if (label?.state === 'queued') {
    const [firstWaitMs = 0] = ctx.settings.labelRetryScheduleMs;
    enqueue(ctx, purchaseLabel, { labelId: label.id, attempt: 1 }, { dueAt: fromNow(ctx.clock, firstWaitMs) });
  }
  if (label?.state === 'skipped') await recordFulfillment(ctx, orderId, { status: 'not_required' });
}

/** Insert the order's label, queued unless `state` says otherwise. @returns `undefined` when it has one already */
export async function insertLabel(
  ctx: InTransaction,
  { id: orderId, orderNumber }: Pick<Order, 'id' | 'orderNumber'>,
  { state = sql`'queued'`, requestedManually = false }: { state?: Sql; requestedManually?: boolean } = {},
): Promise<{ id: string; state: LabelState } | undefined> {
  const now = ctx.clock.now();
  const [label] = await ctx.tx.execute<{ id: string; state: LabelState }>(sql`
    insert into labels (tenant_id, id, order_id, order_number, state, reason_code, latest_attempt, failed_attempts,
      chosen_manually, requested_manually, buy_number, rechecks, version, created_at, updated_at)
    select ${ctx.tenant.id}, ${newId('lbl')}, ${orderId}, ${orderNumber}, state,
      case state when 'skipped' then 'not_required' end, 1, 0, false, ${requestedManually}, 0, 0, 1,
      ${now}::timestamptz, ${now}::timestamptz
    from (select ${state} as state) as initial on conflict (tenant_id, order_id) where state <> 'voided' do nothing
    returning id, state`);
  return label;
}

/** Enqueue the label's next attempt, under a key of its own. */
export function enqueueAttempt(ctx: InTransaction, label: Label, at: Date): void {
  enqueue(ctx, purchaseLabel, { labelId: label.id, attempt: label.nextAttempt(at) }, { dueAt: at });
}

/** No label is bought for the order after all. The label is locked or held. */
export async function skipLabel(ctx: InTransaction, label: Label, reason: SkipReason): Promise<void> {
  label.skip(reason);
  label.updatedAt = ctx.clock.now();
  recordEvent(ctx, 'label.skipped', label.id);
  await closeFailedJobs(ctx, label);
}

/** Close the failed jobs of a label once it is finished, so that they leave the board. */
export async function closeFailedJobs(ctx: InTransaction, label: Label): Promise<void> {
  const keys = Array.from({ length: label.latestAttempt }, (_, index) =>
    purchaseLabel.key({ labelId: label.id, attempt: index + 1 }),
  );
  await closeFailed(ctx.tx.execute, { tenantId: ctx.tenant.id, job: purchaseLabel.name, keys }, ctx.clock.now());
}
