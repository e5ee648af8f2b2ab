import { completeJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { randomText, shortDigest } from '#src/lib/crypto.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { orderForShipping } from '../orders/index.ts';
import { type Assessment, assessOrder } from './assess-order.ts';
import { buyLabel, lookupPurchase } from './buy-label.ts';
import { chooseLabelRate } from './choose-rate.ts';
import { flagLabel } from './flag-label.ts';
import type { Label } from './label.ts';
import { type Lease, leaseMs, lockLabel } from './label-lease.ts';
import { completeAsSkipped, type Next } from './record-outcome.ts';
import { restartLabel } from './retry-label.ts';
import { type OpenedAccount, openAccount } from './shipping-account.ts';

/** The longest attempt: a lookup, a purchase, and a lookup of that purchase. */
const turnsMax = 3;

/**
 * A label whose attempts crashed this often in a row is flagged. The job's own count is not enough: a retry that only
 * snoozes until a dead attempt's lease expires resets it, without an outcome for the label.
 */
const startsMax = 10;

/**
 * Advance one label as far as possible: quote, choose the cheapest rate, record it, buy it, and record the outcome. Any
 * number of attempts may run, also at once, and crash anywhere: the row records the progress.
 *
 * The provider has no idempotency keys. So while a purchase was requested and its outcome is unknown, nothing is bought
 * before the purchase was looked up: a bought label is recorded, and only two empty lookups, a grace period apart, show
 * that there is none.
 *
 * @throws ManualActionRequired when an operator has to act; the message says what to do
 */
export async function purchaseLabel(
  ctx: Context,
  { labelId, attempt }: { labelId: string; attempt: number },
): Promise<void> {
  const lease = await takeLabel(ctx, { labelId, attempt });
  if (!lease) return;
  if (lease.label.starts > startsMax) return flagLabel(ctx, lease, 'crashes').then(() => undefined);
  await advance(ctx, lease, await openAccount(ctx));
}

/**
 * Start an attempt of a label. `undefined` when there is nothing to do: the label is finished, is being voided or needs
 * attention, or a newer attempt replaced this one. When an operator retries the job of a label that needs attention, a
 * new attempt is enqueued, and this one ends.
 *
 * @throws Snooze while another attempt holds the label
 */
async function takeLabel(
  ctx: Context,
  { labelId, attempt }: { labelId: string; attempt: number },
): Promise<Lease | undefined> {
  return transact(ctx, async (ctx) => {
    const label = await lockLabel(ctx, labelId);
    if (!label || label.isFinished || label.voidingSince) return undefined;
    if (label.state === 'needs_attention') {
      if (ctx.attempt?.manual) await completeJob(ctx, (ctx) => restartLabel(ctx, label));
      return undefined;
    }
    if (attempt !== label.attempt) return undefined;
    rejectIfHeld(ctx, label);

    if (label.state === 'queued') label.moveTo('quoting');
    const token = randomText(20);
    label.starts += 1;
    label.hold(token, fromNow(ctx.clock, leaseMs(ctx)));
    label.nextAttemptAt = null;
    label.updatedAt = ctx.clock.now();
    return { labelId, orderId: label.orderId, token, label };
  });
}

function rejectIfHeld(ctx: Context, label: Label): void {
  const now = ctx.clock.now();
  if (!label.isHeldByAnother(now)) return;
  const remainingMs = (label.leaseExpiresAt?.getTime() ?? 0) - now.getTime();
  throw new Snooze(Math.max(remainingMs, 0) + 250, 'another attempt holds the label');
}

async function advance(ctx: Context, lease: Lease, account: OpenedAccount | undefined): Promise<void> {
  let next: Next = lease.label.buyingSince ? 'look up' : 'buy';
  for (let turn = 0; turn < turnsMax && next !== 'done'; turn += 1) {
    next = next === 'look up' ? await findPurchase(ctx, lease, account) : await quoteAndBuy(ctx, lease, account);
  }
}

async function findPurchase(ctx: Context, lease: Lease, account: OpenedAccount | undefined): Promise<Next> {
  if (!mayCallProvider(account)) return flagLabel(ctx, lease, 'provider_auth');
  return lookupPurchase(ctx, lease, account);
}

/** No purchase is open: assess the order, choose a rate unless a usable one is chosen, and buy it. */
async function quoteAndBuy(ctx: Context, lease: Lease, account: OpenedAccount | undefined): Promise<Next> {
  const order = await orderForShipping(ctx, lease.orderId);
  const isManual = lease.label.chosenManually;
  const assessment: Assessment = order ? assessOrder(order, account, isManual) : { decision: 'skip' };
  if (assessment.decision === 'skip') return completeAsSkipped(ctx, lease);
  if (assessment.decision === 'flag') return flagLabel(ctx, lease, assessment.code, assessment.detail);
  if (!mayCallProvider(account)) return flagLabel(ctx, lease, 'provider_auth');

  const quotedFor = shortDigest(JSON.stringify([assessment.to, assessment.parcel]), 20);
  if (!lease.label.hasUsableRate(ctx.clock.now(), quotedFor)) {
    if (isManual && lease.label.rate) return flagLabel(ctx, lease, 'no_matching_rate', 'The chosen rate has expired.');
    const rate = await chooseLabelRate(ctx, lease, account, assessment);
    return rate === 'done' ? rate : buyLabel(ctx, lease, account, { rate, quotedFor });
  }
  return buyLabel(ctx, lease, account);
}

/** While the provider rejects the key, no label calls it until an operator retries one. */
function mayCallProvider(account: OpenedAccount | undefined): account is OpenedAccount {
  return account !== undefined && account.pausedAt === null;
}
