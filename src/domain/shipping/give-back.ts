import { finishVoid } from '#jobs/labels.ts';
import { completeJob } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { randomText } from '#src/lib/crypto.ts';
import { days } from '#src/lib/duration.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, recordFulfillment } from '../orders/index.ts';
import { closeFailedJobs } from './close-failed-promises.ts';
import type { Label } from './label.ts';
import { leaseMs, lockLabel } from './label-lease.ts';
import { labelReasonCodes } from './label-reasons.ts';
import { inProgress } from './retry-label.ts';
import { unlinkParcel } from './begin-tracking.ts';

/** How long the provider takes to say whether the price of a label is given back. */
const repriceMs = days(1);

/** A label that is held by whoever gives it back. `purchaseId`: what the provider is asked to take back, if anything. */
export interface HeldLabel {
  readonly orderId: string;
  readonly labelId: string;
  readonly token: string;
  readonly purchaseId: string | null;
}

/**
 * From here on the label may be given back at the provider, and nobody brings it on. Whoever holds it may die, so it is
 * promised to be finished. The label is locked.
 */
export function holdToRefund(ctx: InTransaction, label: Label): HeldLabel {
  const token = randomText(20);
  const heldUntil = fromNow(ctx.clock, leaseMs(ctx));
  label.voidingSince ??= ctx.clock.now();
  label.hold(token, heldUntil);
  if (!ctx.attempt) enqueue(ctx, finishVoid, { labelId: label.id, version: label.version }, { dueAt: heldUntil });
  return { orderId: label.orderId, labelId: label.id, token, purchaseId: label.purchaseId ?? null };
}

/** The label was given back, or was never bought: its order is without one. */
export async function recordVoided(ctx: Context, { orderId, labelId, token }: HeldLabel): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!order || label?.leaseToken !== token) throw inProgress();
    const now = ctx.clock.now();
    label.moveTo('voided');
    label.voidedAt = label.updatedAt = now;
    label.voidingSince = null;
    label.nextAttemptAt = null;
    // The provider decides on the price later: look whether it was given back.
    label.recheckAt = label.purchaseId ? fromNow(ctx.clock, repriceMs) : null;
    label.release();
    await closeFailedJobs(ctx, label);
    await unlinkParcel(ctx, label);
    order.labels = order.labels.filter(({ tracking_number }) => tracking_number !== label.trackingNumber);
    await recordFulfillment(ctx, orderId, {
      ...(order.mayMoveFulfillmentTo('unfulfilled') && { status: 'unfulfilled' }),
      resolved: labelReasonCodes,
    });
    await recordAudit(ctx, { action: 'label.voided', subjectKind: 'order', subjectId: orderId });
  });
}

/** It was not given back now. `isOver`: and will not be. */
export async function releaseHeldLabel(
  ctx: InTransaction,
  { labelId, token }: HeldLabel,
  { isOver }: { isOver: boolean },
): Promise<void> {
  const label = await lockLabel(ctx, labelId);
  if (label?.leaseToken !== token) return;
  label.release();
  if (isOver) label.voidingSince = null;
}
