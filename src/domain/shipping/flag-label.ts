import { completeJob, failJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order, recordFulfillment } from '../orders/index.ts';
import type { Label } from './label.ts';
import { firstRecheckMs, lockLabel, orderOfLabel, saveHeld } from './label-lease.ts';
import { adviceFor, labelReasonCodes, type ReasonCode, reasons } from './label-reasons.ts';

/**
 * Flag a label that this attempt holds for an operator. The order stays paid. A reason that is no fault completes the
 * job; any other one fails it in the same commit, with what to do as its message.
 *
 * @throws ManualActionRequired
 */
export async function flagLabel(
  ctx: Context,
  label: Label,
  code: ReasonCode,
  detail: string | null = null,
): Promise<'done'> {
  const flag = async (ctx: InTransaction) => {
    writeReason(ctx, label, code, detail);
    await handToOperator(ctx, label.orderId, code);
    await saveHeld(ctx, label);
  };
  if (!reasons[code].fails) {
    await completeJob(ctx, flag);
    return 'done';
  }
  const message = `${label.orderNumber}: ${code}. ${adviceFor(code)}`;
  await failJob(ctx, message, flag);
  ctx.log.warn({ label: label.id, reason: code }, 'label needs attention');
  throw new ManualActionRequired(message);
}

/**
 * The job of a label has no attempts left: flag the label, so that an operator decides when to retry. An attempt that
 * still holds it loses its lease; a label that it bought is found by a later check.
 */
export async function failLabel(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const orderId = await orderOfLabel(ctx, labelId);
    if (!orderId) return;
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (order && label && !label.isFinished)
      await flagUnheld(ctx, order, label, label.postponedSince ? 'provider_rate_limited' : 'crashes');
  });
}

/** Flag a label outside of an attempt. The order and the label are locked. */
export async function flagUnheld(
  ctx: InTransaction,
  order: Order,
  label: Label,
  code: ReasonCode,
  detail: string | null = null,
): Promise<void> {
  writeReason(ctx, label, code, detail);
  await handToOperator(ctx, order.id, code);
}

/** The order shows the newest reason of its label. */
async function handToOperator(ctx: InTransaction, orderId: string, code: ReasonCode): Promise<void> {
  const order = await lockOrder(ctx, orderId);
  if (!order) return;
  await recordFulfillment(ctx, orderId, {
    ...(order.mayMoveFulfillmentTo('needs_attention') && { status: 'needs_attention' }),
    resolved: labelReasonCodes,
    attention: { code, detail: reasons[code].message },
  });
}

/**
 * Record the reason on the label. `label.needs_attention` is recorded once: not again after a retry that ends the same
 * way.
 */
function writeReason(ctx: InTransaction, label: Label, code: ReasonCode, detail: string | null): void {
  label.moveTo('needs_attention');
  label.reasonCode = code;
  label.reasonDetail = detail;
  label.nextAttemptAt = null;
  label.postponedSince = null;
  label.updatedAt = ctx.clock.now();
  label.release();
  if (label.buyingSince) label.recheckAt = fromNow(ctx.clock, firstRecheckMs(ctx));
  if (label.flaggedCode === code) return;
  label.flaggedCode = code;
  recordEvent(ctx, 'label.needs_attention', label.id);
}
