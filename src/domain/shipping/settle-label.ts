import { purchaseLabel } from '#jobs/labels.ts';
import { fromNow } from '#src/lib/clock.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { NeedsPerson, Snooze } from '#src/lib/errors.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordEvent } from '#src/outbox/record-event.ts';
import type { Context, InTransaction } from '../context.ts';
import { conclude, transact } from '../database.ts';
import { lockOrder, type Order, recordFulfillment } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { beginTracking } from './begin-tracking.ts';
import type { Label } from './label.ts';
import { type Lease, lockLabel, orderOfLabel, underLease } from './label-lease.ts';
import { adviceFor, isReasonCode, type ReasonCode, reasons } from './label-reasons.ts';
import { recordDuplicates } from './record-duplicates.ts';

/** A label that took more than one purchase may turn out to have been bought twice: then it is looked at again. */
const firstRecheckMs = minutes(10);

/** The label was bought: the order gets its tracking number, and whoever listens hears of it. */
export async function settlePurchased(ctx: Context, lease: Lease, purchase: LabelPurchase, others: readonly LabelPurchase[] = []): Promise<void> {
  await conclude(ctx, async (ctx) => {
    const order = await lockOrder(ctx, lease.orderId);
    await underLease(ctx, lease, async (label) => {
      await adopt(ctx, order, label, purchase);
      await recordDuplicates(ctx, label, others);
    });
  });
}

/** Make a purchase the label's own. The order and the label are locked. */
export async function adopt(ctx: InTransaction, order: Order | undefined, label: Label, purchase: LabelPurchase): Promise<void> {
  label.wasBought(purchase, ctx.clock.now());
  if (label.buyNumber > 1) label.recheckAt = fromNow(ctx.clock, firstRecheckMs);
  recordEvent(ctx, 'label.purchased', label.id);
  if (!order) return;
  const { rate, trackingNumber, trackingUrl } = label;
  await recordFulfillment(ctx, order.id, {
    ...(order.mayMoveFulfillmentTo('label_purchased') && { status: 'label_purchased' }),
    ...(isReasonCode(order.attentionCode) && { attention: null }),
    ...(trackingNumber && {
      label: {
        carrier: rate?.carrierName ?? '', service: rate?.service ?? null, tracking_number: trackingNumber,
        tracking_url: trackingUrl ?? null, status: 'pre_transit',
      },
    }),
  });
  await beginTracking(ctx, label);
}

/** No label is needed after all. */
export async function settleSkipped(ctx: Context, lease: Lease): Promise<void> {
  await conclude(ctx, (ctx) => underLease(ctx, lease, (label) => {
    label.moveTo('skipped');
    label.reasonCode = 'not_required';
    label.release();
  }));
}

/**
 * Put a label in front of a person. The order stays paid. What is as it should be ends the job well; anything else
 * fails it, with what to do as its message, and its promise stays open so that Retry works it again.
 *
 * @throws NeedsPerson
 */
export async function raise(ctx: Context, lease: Lease, code: ReasonCode, detail: string | null = null): Promise<void> {
  const isQuiet = !reasons[code].fails;
  const orderNumber = await (isQuiet ? conclude : transact)(ctx, async (ctx) => {
    await putBeforePerson(ctx, lease.orderId, code);
    return underLease(ctx, lease, (label) => {
      writeReason(ctx, label, code, detail);
      return label.orderNumber;
    });
  });
  if (isQuiet) return;
  ctx.log.warn({ label: lease.labelId, reason: code }, 'label needs attention');
  throw new NeedsPerson(`${orderNumber}: ${code}. ${adviceFor(code)}`);
}

/** A label whose runs keep dying, for a person to look at: whoever holds it, it is dead. */
export async function giveUpLabel(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const orderId = await orderOfLabel(ctx, labelId);
    if (!orderId) return;
    await putBeforePerson(ctx, orderId, 'crashes');
    const label = await lockLabel(ctx, labelId);
    if (label && !label.isSettled) writeReason(ctx, label, 'crashes', null);
  });
}

/** The order shows what is the matter with its label. */
export async function putBeforePerson(ctx: InTransaction, orderId: string, code: ReasonCode): Promise<void> {
  const order = await lockOrder(ctx, orderId);
  if (!order) return;
  await recordFulfillment(ctx, orderId, {
    ...(order.mayMoveFulfillmentTo('needs_attention') && { status: 'needs_attention' }),
    attention: { code, detail: adviceFor(code) },
  });
}

/** The label's own side of it. It is news once: a retry that ends the same way tells nobody again. */
export function writeReason(ctx: InTransaction, label: Label, code: ReasonCode, detail: string | null): void {
  label.moveTo('needs_attention');
  label.reasonCode = code;
  label.reasonDetail = detail;
  label.nextAttemptAt = null;
  label.release();
  if (label.buyingSince) label.recheckAt = fromNow(ctx.clock, firstRecheckMs);
  if (label.raisedCode === code) return;
  label.raisedCode = code;
  recordEvent(ctx, 'label.needs_attention', label.id);
}

/**
 * A try failed in a way that may pass: the next one is promised, later each time, until the schedule is spent. Where
 * a purchase is open, the next try begins with a look.
 *
 * @throws NeedsPerson when no try is left
 */
export async function tryAgain(ctx: Context, lease: Lease, code: ReasonCode, detail: string | null = null): Promise<void> {
  const tries = lease.label.tries + 1;
  const waitMs = ctx.settings.labelRetryScheduleMs[tries];
  if (waitMs === undefined) return raise(ctx, lease, lease.label.buyingSince ? 'outcome_unknown' : code, detail);
  await conclude(ctx, (ctx) => underLease(ctx, lease, (label) => {
    label.tries = tries;
    label.reasonCode = code;
    label.reasonDetail = detail;
    if (label.state === 'quoting') label.moveTo('queued');
    promiseNext(ctx, label, spread(waitMs));
  }));
}

/** Nothing failed, but it is too early: look again after a while. `note` writes down what the look found. */
export async function waitFor(ctx: Context, lease: Lease, waitMs: number, note: (label: Label) => void = () => undefined): Promise<void> {
  await conclude(ctx, (ctx) => underLease(ctx, lease, (label) => {
    note(label);
    promiseNext(ctx, label, waitMs);
  }));
}

/**
 * The provider said when to come back, and nothing was done: it costs no try.
 * @throws Snooze
 */
export async function putOff(ctx: Context, lease: Lease, retryAfterSeconds: number): Promise<never> {
  await transact(ctx, (ctx) => underLease(ctx, lease, (label) => {
    if (label.state === 'quoting') label.moveTo('queued');
    label.nextAttemptAt = fromNow(ctx.clock, seconds(retryAfterSeconds));
    label.release();
  }));
  throw new Snooze(seconds(retryAfterSeconds), 'the parcel provider asked us to come back later');
}

function promiseNext(ctx: InTransaction, label: Label, waitMs: number): void {
  const at = fromNow(ctx.clock, waitMs);
  enqueue(ctx, purchaseLabel, { labelId: label.id, attempt: label.nextAttempt(at) }, { dueAt: at });
  label.release();
}

/** Up to a fifth longer, so that labels that failed together do not come back together. */
const spread = (waitMs: number) => Math.round(waitMs * (1 + Math.random() / 5));
