import { purchaseLabel } from '#jobs/labels.ts';
import { transact } from '#src/database/transact.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import {
  type Order,
  type OrderForShipping,
  orderForShipping,
  recordFulfillment,
  takeMissingStock,
} from '../orders/index.ts';
import { needsShipping } from './assess-order.ts';
import type { Label } from './label.ts';
import { lockOrderAndLabel, orderOfLabel, resume } from './label-lease.ts';
import { labelReasonCodes } from './label-reasons.ts';
import { unpause } from './pause-labels.ts';
import { enqueueAttempt, insertLabel } from './request-label.ts';

/**
 * An operator retries a label, with a fresh quote. Its attentions are resolved, also that the order was oversold: what
 * is in stock now is sold to it. The parcel may cross a border. An open purchase is looked up first.
 *
 * @throws DomainError `not_found`, or a conflict where it is bought already, an attempt holds it, or nothing is to be
 *   shipped
 */
export async function retryLabel(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  const orderId = found(await orderOfLabel(ctx, labelId), 'label');
  await requestLabelAgain(ctx, { orderId });
}

/** The same, by the order. An order whose label was voided gets a new one. */
export async function requestLabelAgain(ctx: Context, { orderId }: { orderId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { order, label } = await lockForManualAction(ctx, orderId);
    await recordAudit(ctx, { action: 'label.retried', subjectKind: 'order', subjectId: orderId });
    await takeMissingStock(ctx, order);
    await recordFulfillment(ctx, orderId, { resolved: [...labelReasonCodes, 'oversold'] });
    if (!label) {
      const labelId = newId('lbl');
      ctx.tx.changes.push(insertLabel(ctx, order, { labelId, requestedManually: true }));
      enqueue(ctx, purchaseLabel, { labelId, attempt: 1 });
      return;
    }
    label.requestedManually = true;
    await restartLabel(ctx, label);
  });
}

/**
 * The order and its label, locked for a change that an operator makes, and what is sent of it, unless a purchase is open.
 * @throws DomainError `order_not_shippable` where nothing is to be shipped, `order_shipped`, and others
 */
export async function lockForManualAction(
  ctx: InTransaction,
  orderId: string,
): Promise<{ order: Order; label: Label | undefined; sent: OrderForShipping | undefined }> {
  const { order, label } = found(await lockOrderAndLabel(ctx, orderId), 'order');
  // An open purchase is looked up also for an order that was refunded since: then it is voided.
  const sent = label?.buyingSince ? undefined : await rejectUnshippable(ctx, orderId);
  if (order.shippedAt) throw new DomainError('conflict', 'order_shipped', 'The order has been shipped already.');
  if (label?.state === 'purchased') {
    throw new DomainError(
      'conflict',
      'label_purchased',
      'The label of this order has been purchased already. Void it first.',
    );
  }
  if (label?.isHeldByAnother(ctx.clock.now())) throw inProgress();
  return { order, label, sent };
}

/** What is sent of an order. @throws DomainError `order_not_shippable` where it has nothing that may be shipped */
export async function rejectUnshippable(ctx: InTransaction, orderId: string): Promise<OrderForShipping> {
  const order = await orderForShipping(ctx, orderId);
  if (!order || !needsShipping(order)) throw nothingToShip();
  return order;
}

export const nothingToShip = () =>
  notShippable(
    'There is nothing to ship: the order is not paid, was refunded in full, contains no goods that ship, or all of ' +
      'them are returned.',
  );

export const notShippable = (reason: string) => new DomainError('conflict', 'order_not_shippable', reason);

/** A purchase whose outcome is unknown must be resolved before anything else is decided about the label. */
export function rejectIfOpen(label: Label | undefined): void {
  if (!label?.buyingSince) return;
  throw new DomainError(
    'conflict',
    'label_outcome_unknown',
    'It is not known yet whether a label was purchased for this order. Retry it first.',
  );
}

export const inProgress = () =>
  new DomainError('conflict', 'label_in_progress', 'The label is being processed. Try again in a minute.');

/**
 * Start a label again with a new attempt, whether the operator retried it on /ops/labels or on the board. One that
 * waited for the store's account resumes all labels that wait for it. The label is locked.
 */
export async function restartLabel(ctx: InTransaction, label: Label): Promise<void> {
  label.unwantedSince = null;
  if (label.reasonCode === 'provider_auth') await unpause(ctx);
  if (label.state === 'needs_attention' || label.state === 'skipped') resume(label);
  await enqueueAttempt(ctx, label, ctx.clock.now());
  label.updatedAt = ctx.clock.now();
}
