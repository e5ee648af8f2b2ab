import { readRow } from '#src/database/rows.ts';
import { completeJob } from '#src/database/transact.ts';
import { shortDigest } from '#src/lib/crypto.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import type { OrderForShipping } from '../orders/index.ts';
import { assessOrder } from './assess-order.ts';
import { buyLabel, lookupPurchase } from './buy-label.ts';
import { chooseLabelRate } from './choose-rate.ts';
import { flagLabel } from './flag-label.ts';
import { Label } from './label.ts';
import { lockLabel } from './label-lease.ts';
import { quoteMarker } from './order-rates.ts';
import { completeAsSkipped, type Next } from './record-outcome.ts';
import { restartLabel } from './retry-label.ts';
import {
  type AccountAndOrder,
  type AccountAndOrderRow,
  accountAndOrderOf,
  type OpenedAccount,
  openAccountAndOrder,
} from './shipping-account.ts';

/** The longest attempt: a lookup, a purchase, and a lookup of that purchase. */
const stepsMax = 3;

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
  const open = await readOpenLabel(ctx, { labelId, attempt });
  if (open) await advance(ctx, open);
}

interface OpenLabel extends AccountAndOrder {
  readonly label: Label;
}

/**
 * The label of an attempt, with what is read of its store and its order. `undefined` when there is nothing to do: the
 * label is finished, is being voided or needs attention, or a newer attempt replaced this one. When an operator retries
 * the job of a label that needs attention, a new attempt is enqueued, and this one ends.
 *
 * It is neither locked nor, before it is bought, held. What an operator changes meanwhile, such as the address, changes
 * its row, too: then this attempt writes nothing that it has read, and buys nothing.
 *
 * @throws Snooze while another attempt holds the label
 */
async function readOpenLabel(
  ctx: Context,
  { labelId, attempt }: { labelId: string; attempt: number },
): Promise<OpenLabel | undefined> {
  const row = await readRow<Label, AccountAndOrderRow>(
    ctx,
    Label,
    labelId,
    accountAndOrderOf(ctx, sql`labels.order_id`),
  );
  const label = row?.entity;
  if (!label || label.isFinished || label.voidingSince) return undefined;
  if (label.state === 'needs_attention') {
    if (ctx.attempt?.manual) await restart(ctx, label);
    return undefined;
  }
  if (attempt !== label.latestAttempt) return undefined;
  rejectIfHeld(ctx, label);
  label.nextAttemptAt = null;
  return { label, ...openAccountAndOrder(ctx, row) };
}

/** Of several runs of a retry one restarts the label: the others may see it flagged again, which they do not decide. */
async function restart(ctx: Context, { id, latestAttempt }: Label): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const label = await lockLabel(ctx, id);
    if (label?.state !== 'needs_attention' || label.latestAttempt !== latestAttempt) return;
    await recordAudit(
      { ...ctx, actor: { kind: 'operator', id: 'board' } },
      { action: 'label.retried', subjectKind: 'order', subjectId: label.orderId },
    );
    await restartLabel(ctx, label);
  });
}

function rejectIfHeld(ctx: Context, label: Label): void {
  const now = ctx.clock.now();
  if (!label.isHeldByAnother(now)) return;
  const remainingMs = (label.leaseExpiresAt?.getTime() ?? 0) - now.getTime();
  throw new Snooze(Math.max(remainingMs, 0) + 250, 'another attempt holds the label');
}

async function advance(ctx: Context, { label, account, order }: OpenLabel): Promise<void> {
  let next: Next = label.buyingSince ? 'look up' : 'buy';
  for (let step = 0; step < stepsMax && next !== 'done'; step += 1) {
    next = next === 'look up' ? await findPurchase(ctx, label, account) : await quoteAndBuy(ctx, label, account, order);
  }
}

async function findPurchase(ctx: Context, label: Label, account: OpenedAccount | undefined): Promise<Next> {
  if (!mayCallProvider(account)) return flagLabel(ctx, label, 'provider_auth');
  return lookupPurchase(ctx, label, account);
}

/** No purchase is open: assess the order, choose a rate unless a usable one is chosen, and buy it. */
async function quoteAndBuy(
  ctx: Context,
  label: Label,
  account: OpenedAccount | undefined,
  order: OrderForShipping | undefined,
): Promise<Next> {
  if (!order || label.unwantedSince) return completeAsSkipped(ctx, label);
  const assessment = assessOrder(order, account, label);
  if (assessment.decision === 'skip') return completeAsSkipped(ctx, label);
  if (assessment.decision === 'flag') return flagLabel(ctx, label, assessment.code, assessment.detail);
  if (!mayCallProvider(account)) return flagLabel(ctx, label, 'provider_auth');

  const { origin, carriers, labelCostCapCents } = account;
  const quotedFor = label.chosenManually
    ? quoteMarker(order)
    : shortDigest(JSON.stringify([assessment.to, assessment.parcel, origin, carriers, labelCostCapCents]), 20);
  if (!label.hasUsableRate(ctx.clock.now(), quotedFor)) {
    if (label.chosenManually && label.rate) {
      label.dropRate();
      const detail = 'The chosen rate has expired, or what is sent has changed since.';
      return flagLabel(ctx, label, 'no_matching_rate', detail);
    }
    const rate = await chooseLabelRate(ctx, label, account, { ...assessment, order });
    return rate === 'done' ? rate : buyLabel(ctx, label, account, { rate, quotedFor });
  }
  return buyLabel(ctx, label, account);
}

/** While the provider rejects the key, no label calls it until an operator retries one. */
function mayCallProvider(account: OpenedAccount | undefined): account is OpenedAccount {
  return account !== undefined && !account.isPaused;
}
