import { finishVoid, refundUnusedLabel as refundUnusedLabelJob } from '#jobs/labels.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { randomText } from '#src/lib/crypto.ts';
import { days, seconds } from '#src/lib/duration.ts';
import { DomainError, isFinalFailure, ManualActionRequired, notFound, ProviderError, Snooze } from '#src/lib/errors.ts';
import { enqueue, recordEvent } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order, orderForShipping, recordFulfillment } from '../orders/index.ts';
import { rejectIfRemoved } from '../tenants/index.ts';
import { shippableItems } from './assess-order.ts';
import type { Label } from './label.ts';
import { leaseMs, lockLabel, lockOrderAndLabel, orderOfLabel } from './label-lease.ts';
import { labelReasonCodes } from './label-reasons.ts';
import { laterIfDenied } from './pause-labels.ts';
import { skipUnneeded } from './record-outcome.ts';
import { closeFailedJobs } from './request-label.ts';
import { inProgress, rejectIfOpen } from './retry-label.ts';
import { openAccount } from './shipping-account.ts';
import { unlinkParcel, wasReplaced } from './tracking.ts';
import { labelNotRefunded } from './unused-labels.ts';

/**
 * Void a label: its price is refunded where it was bought, and its order has no label again. A void that was begun is
 * completed by a job, also when the provider is unavailable or this process dies.
 *
 * @throws DomainError `not_found`, a conflict where its purchase is open or the parcel has moved, or
 *   `shipping_provider_unavailable`: then a job retries it, and voiding it again is harmless
 */
export async function voidLabel(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  const held = await holdForVoid(ctx, labelId);
  const outcome = await refund(ctx, held).catch((error) => {
    throw error instanceof ProviderError ? noResponse(error) : error;
  });
  if (outcome === 'rejected') throw notVoidable('The shipping provider does not refund this label.');
  await recordVoided(ctx, held);
}

async function holdForVoid(ctx: Context, labelId: string): Promise<HeldLabel> {
  const orderId = await orderOfLabel(ctx, labelId);
  if (!orderId) throw notFound('label');
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!order || !label) throw notFound('label');
    await rejectIfRemoved(ctx);
    rejectIfOpen(label);
    if (label.isHeldByAnother(ctx.clock.now())) throw inProgress();
    const mayVoid = ['purchased', 'needs_attention', 'queued', 'rate_chosen'].includes(label.state);
    const wasUsed = order.shippedAt && !(await wasReplaced(ctx, order, label));
    if (!mayVoid || wasUsed) throw notVoidable('This label can no longer be voided.');
    return holdToRefund(ctx, label);
  });
}

/**
 * Request the refund of what a held label was bought for. Without it the label is released.
 * @throws ProviderError where another request may succeed
 */
async function refund(ctx: Context, held: HeldLabel): Promise<'requested' | 'rejected'> {
  if (!held.purchaseId) return 'requested';
  try {
    const opened = await openAccount(ctx);
    if (!opened) throw new ProviderError('shippo', 'denied', 'The store has no shipping account.');
    await ctx.ports.shipping.refundPurchase(opened.account, held.purchaseId, { signal: ctx.signal });
    return 'requested';
  } catch (error) {
    const isRejected = isFinalFailure(error);
    await transact(ctx, (ctx) => releaseHeldLabel(ctx, held, { isOver: isRejected }));
    if (isRejected) return 'rejected';
    throw error;
  }
}

const notVoidable = (detail: string) => new DomainError('conflict', 'label_not_voidable', detail);

const noResponse = (cause: ProviderError) =>
  new DomainError(
    'upstream_failed',
    'shipping_provider_unavailable',
    'The shipping provider is not responding. The label will be voided as soon as it does.',
    { cause },
  );

/** `kind` is what caused it; a void that was begun has none. */
interface UnusedLabel {
  readonly labelId: string;
  readonly kind?: 'refund' | 'return' | 'purchase';
}

/**
 * Complete a void that was begun, or void the label of an order of which nothing is sent, unless its parcel has moved or
 * something is sent after all, because a refund failed or a return was given up. A label whose purchase is open is left
 * to its own attempt and is voided when the purchase turns up. A label that is not bought yet is not bought
 * automatically, even if the refund failed since: the goods are in stock again.
 *
 * @throws Snooze while an attempt holds it; ManualActionRequired when the provider rejects the refund
 */
export async function refundUnusedLabel(ctx: Context, unused: UnusedLabel): Promise<void> {
  const { labelId } = unused;
  const orderId = await orderOfLabel(ctx, labelId);
  const held = orderId && (await holdForRefund(ctx, orderId, unused));
  if (!held) return;
  const outcome = await refund(ctx, held).catch(async (error) => {
    await laterIfDenied(ctx, await openAccount(ctx), error);
    throw error;
  });
  if (outcome === 'rejected') throw new ManualActionRequired(await flagRejection(ctx, orderId));
  await recordVoided(ctx, held);
  ctx.log.info({ label: labelId }, 'label voided');
}

/** The job has no attempts left: the order is flagged for an operator. */
export async function failLabelRefund(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  const orderId = await orderOfLabel(ctx, labelId);
  if (orderId) await flagRejection(ctx, orderId);
}

/**
 * `undefined` where nothing is to be refunded. A label that was never bought is closed here when nothing is sent.
 */
async function holdForRefund(
  ctx: Context,
  orderId: string,
  { labelId, kind }: UnusedLabel,
): Promise<HeldLabel | undefined> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!order || !label || label.state === 'voided') return undefined;
    if (!label.voidingSince && (!kind || order.shippedAt)) return undefined;
    const isNeeded = await isAnythingSent(ctx, orderId);
    if (kind === 'return' && isNeeded) return undefined;
    if (label.isHeldByAnother(ctx.clock.now())) throw new Snooze(seconds(5), 'another attempt holds the label');
    if (label.buyingSince) {
      label.unwantedSince = ctx.clock.now();
      return undefined;
    }
    if (label.voidingSince) return holdToRefund(ctx, label);
    if (label.state === 'purchased') return isNeeded ? undefined : holdToRefund(ctx, label);
    await skipUnneeded(ctx, order, label);
    return undefined;
  });
}

async function isAnythingSent(ctx: InTransaction, orderId: string): Promise<boolean> {
  const order = await orderForShipping(ctx, orderId);
  return order !== undefined && shippableItems(order).length > 0;
}

/** @returns the message that the job fails with */
async function flagRejection(ctx: Context, orderId: string): Promise<string> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (order) await recordFulfillment(ctx, orderId, { attention: labelNotRefunded });
    return `${order?.orderNumber}: ${labelNotRefunded.code}. ${labelNotRefunded.detail}`;
  });
}

/**
 * Void the label of an order that was refunded in full, or do not buy it. A job does it, because the provider has to be
 * called. The order is locked.
 */
export async function enqueueLabelRefund(ctx: InTransaction, order: Order): Promise<void> {
  const found = order.shippedAt ? undefined : await lockOrderAndLabel(ctx, order.id);
  if (found?.label)
    enqueue(ctx, refundUnusedLabelJob, { labelId: found.label.id, kind: 'refund', version: order.version });
}

/**
 * The same where a return was approved, if nothing is left to send. `number` is that of the return. The order is locked.
 */
export async function enqueueLabelVoid(
  ctx: InTransaction,
  { orderId, number }: { orderId: string; number: number },
): Promise<void> {
  const found = await lockOrderAndLabel(ctx, orderId);
  if (!found?.label || found.order.shippedAt || (await isAnythingSent(ctx, orderId))) return;
  enqueue(ctx, refundUnusedLabelJob, { labelId: found.label.id, kind: 'return', version: number });
}

/** When it is first checked whether the provider has refunded a label. */
const refundCheckMs = days(1);

/** A label under the lease of the process that voids it. `purchaseId`: the purchase to refund, if there is one. */
export interface HeldLabel {
  readonly orderId: string;
  readonly labelId: string;
  readonly token: string;
  readonly purchaseId: string | null;
}

/**
 * Take the label's lease for a void. From here on the provider may have refunded it, and no attempt continues to buy
 * it. This process may die, so a job is enqueued that completes the void. The label is locked.
 */
function holdToRefund(ctx: InTransaction, label: Label): HeldLabel {
  const token = randomText(20);
  const heldUntil = fromNow(ctx.clock, leaseMs(ctx));
  label.voidingSince ??= ctx.clock.now();
  label.hold(token, heldUntil);
  if (!ctx.attempt) enqueue(ctx, finishVoid, { labelId: label.id, version: label.version }, { dueAt: heldUntil });
  return { orderId: label.orderId, labelId: label.id, token, purchaseId: label.purchaseId ?? null };
}

/** The label was refunded, or was never bought: its order has none again. */
async function recordVoided(ctx: Context, { orderId, labelId, token }: HeldLabel): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!order || label?.leaseToken !== token) throw inProgress();
    const now = ctx.clock.now();
    label.moveTo('voided');
    label.voidedAt = label.updatedAt = now;
    label.voidingSince = null;
    label.nextAttemptAt = null;
    // The provider decides on the refund later: check whether it was rejected.
    label.recheckAt = label.purchaseId ? fromNow(ctx.clock, refundCheckMs) : null;
    label.release();
    recordEvent(ctx, 'label.voided', labelId);
    await closeFailedJobs(ctx, label);
    await unlinkParcel(ctx, order, label);
    await recordFulfillment(ctx, orderId, {
      ...(order.mayMoveFulfillmentTo('unfulfilled') && { status: 'unfulfilled' }),
      resolved: labelReasonCodes,
    });
    await recordAudit(ctx, { action: 'label.voided', subjectKind: 'order', subjectId: orderId });
  });
}

/** The provider did not refund it. `isOver`: and will not, so the void ends here. */
async function releaseHeldLabel(
  ctx: InTransaction,
  { labelId, token }: HeldLabel,
  { isOver }: { isOver: boolean },
): Promise<void> {
  const label = await lockLabel(ctx, labelId);
  if (label?.leaseToken !== token) return;
  label.release();
  if (isOver) label.voidingSince = null;
}
