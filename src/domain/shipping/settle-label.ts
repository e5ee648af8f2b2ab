import { completeJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { lockOrder } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { recordPurchase } from './adopt-purchase.ts';
import { closeFailedJobs } from './close-failed-promises.ts';
import type { Label } from './label.ts';
import { type Lease, underLease } from './label-lease.ts';
import { enqueueAttempt } from './request-label.ts';
import type { ReasonCode } from './label-reasons.ts';
import { flagLabel } from './raise-label.ts';
import { recordDuplicates } from './record-duplicates.ts';

/** What comes next: a look for a purchase that is open, a fresh purchase, or nothing. */
export type Next = 'look up' | 'buy' | 'done';

/** The label was bought; `others` are labels of the same rate that were bought besides. */
export async function completeAsPurchased(
  ctx: Context,
  lease: Lease,
  purchase: LabelPurchase,
  others: readonly LabelPurchase[] = [],
): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const order = await lockOrder(ctx, lease.orderId);
    await underLease(ctx, lease, async (label) => {
      await recordPurchase(ctx, order, label, purchase);
      await recordDuplicates(ctx, label, others);
    });
  });
}

/** No label is needed after all. */
export async function completeAsSkipped(ctx: Context, lease: Lease): Promise<'done'> {
  await completeJob(ctx, (ctx) =>
    underLease(ctx, lease, async (label) => {
      label.moveTo('skipped');
      label.reasonCode = 'not_required';
      label.release();
      await closeFailedJobs(ctx, label);
    }),
  );
  return 'done';
}

/**
 * A try failed in a way that may pass: the next one is promised, later each time, until the schedule is spent. Where
 * a purchase is open, the next try begins with a look.
 *
 * @throws ManualActionRequired when no try is left
 */
export async function tryAgain(
  ctx: Context,
  lease: Lease,
  code: ReasonCode,
  detail: string | null = null,
): Promise<'done'> {
  const tries = lease.label.tries + 1;
  const waitMs = ctx.settings.labelRetryScheduleMs[tries];
  if (waitMs === undefined) return flagLabel(ctx, lease, lease.label.buyingSince ? 'outcome_unknown' : code, detail);
  return waitFor(ctx, lease, spread(waitMs), (label) => {
    label.tries = tries;
    label.reasonCode = code;
    label.reasonDetail = detail;
    if (label.state === 'quoting') label.moveTo('queued');
  });
}

/** The label is gone on with after a while. `note` writes down what this run found. */
export async function waitFor(
  ctx: Context,
  lease: Lease,
  waitMs: number,
  note: (label: Label) => void = () => undefined,
): Promise<'done'> {
  await completeJob(ctx, (ctx) =>
    underLease(ctx, lease, (label) => {
      note(label);
      enqueueAttempt(ctx, label, fromNow(ctx.clock, waitMs));
      label.release();
    }),
  );
  return 'done';
}

/** A provider that says nothing but later for longer than the schedule lasts is one that fails. */
const putOffMaxMs = hours(6);

/**
 * The provider said when to come back, and nothing was done: it costs no try, unless it goes on for hours.
 * @throws Snooze
 */
export async function putOff(ctx: Context, lease: Lease, retryAfterSeconds: number): Promise<'done'> {
  const now = ctx.clock.now();
  const { putOffSince } = lease.label;
  if (putOffSince && now.getTime() - putOffSince.getTime() > putOffMaxMs)
    return tryAgain(ctx, lease, 'provider_rate_limited');
  await transact(ctx, (ctx) =>
    underLease(ctx, lease, (label) => {
      if (label.state === 'quoting') label.moveTo('queued');
      label.putOffSince ??= now;
      label.nextAttemptAt = fromNow(ctx.clock, seconds(retryAfterSeconds));
      label.release();
    }),
  );
  throw new Snooze(seconds(retryAfterSeconds), 'the parcel provider asked us to come back later');
}

/** Up to a fifth longer, so that labels that failed together do not come back together. */
const spread = (waitMs: number) => Math.round(waitMs * (1 + Math.random() / 5));
