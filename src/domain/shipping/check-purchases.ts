import { checkPurchases as checkPurchasesJob } from '#jobs/labels.ts';
import { asPlatform, completeJob, readOne, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, seconds } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueueFor } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction, PlatformContext } from '../context.ts';
import { lockOrder, type Order } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { flagUnheld } from './flag-label.ts';
import type { Label } from './label.ts';
import { lockLabel, orderOfLabel } from './label-lease.ts';
import { recordPurchase } from './record-outcome.ts';
import { openAccount } from './shipping-account.ts';
import { unlinkParcel } from './tracking.ts';
import { recordDuplicates, recordRejections, recordVoidedAtProvider } from './unused-labels.ts';

/** How many rows one round takes; the next round takes the rest. */
const batchSize = 500;

/** A check that failed is repeated after this long, at most so often. */
const recheckAgainMs = hours(1);
const rechecksMax = 48;

/** Enqueue a check of every label that is due for one. */
export async function sweepLabels(ctx: PlatformContext): Promise<void> {
  await asPlatform(ctx, 'checks of labels are enqueued for every store', async (ctx) => {
    const due = await ctx.tx.execute<{ tenantId: string; labelId: string; number: number }>(sql`
      update labels set rechecks = rechecks + 1,
        recheck_at = case when rechecks < ${rechecksMax} then ${fromNow(ctx.clock, recheckAgainMs)}::timestamptz end
      where (tenant_id, id) in (
        select tenant_id, id from labels where recheck_at <= ${ctx.clock.now()}
        order by recheck_at limit ${batchSize} for update skip locked)
      returning tenant_id as "tenantId", id as "labelId", rechecks as number`);
    for (const { tenantId, ...payload } of due) enqueueFor(ctx, tenantId, checkPurchasesJob, payload);
  });
}

/** A label is checked shortly after its purchase, and once more the next day. */
const secondLookupMs = days(1);
/** Carriers take weeks to decide on a refund: it is checked so often, until so long after the purchase. */
const [refundCheckMs, refundChecksMs] = [days(1), days(60)];

interface CheckedLabel {
  /** Every rate that the label may have been bought at. */
  readonly rateIds: readonly string[];
  /** When its last purchase was requested or recorded. */
  readonly since: Date;
}

/**
 * Check whether a label was bought after its attempts ended, or was bought twice, and each day whether a refund was
 * rejected that is not decided yet. If the provider does not respond, the row stays due, so the check is repeated until
 * it succeeds.
 */
export async function checkPurchases(
  ctx: Context,
  { labelId, number }: { labelId: string; number: number },
): Promise<void> {
  const [label, opened] = await Promise.all([
    readOne<CheckedLabel>(
      ctx,
      sql`
      select array(select distinct unnest(array_remove(requested_rate_ids || rate_id, null))) as "rateIds",
        coalesce(purchased_at, buying_since, updated_at) as since
      from labels where tenant_id = ${ctx.tenant.id} and id = ${labelId}`,
    ),
    openAccount(ctx),
  ]);
  if (!label || label.rateIds.length === 0 || !opened) return;
  const purchases: LabelPurchase[] = [];
  try {
    for (const rateId of label.rateIds) {
      purchases.push(...(await ctx.ports.shipping.findPurchases(opened.account, rateId, { signal: ctx.signal })));
    }
    await matchPurchases(ctx, labelId, purchases);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn({ label: labelId, err: error }, 'purchases of a label could not be checked');
    return;
  }
  const secondLookupAt = new Date(label.since.getTime() + secondLookupMs);
  const isRefunding = purchases.some(({ state }) => state === 'refunding');
  const mayBeDecided = label.since > fromNow(ctx.clock, -refundChecksMs);
  const refundCheckAt = isRefunding && mayBeDecided ? fromNow(ctx.clock, refundCheckMs) : null;
  const next = secondLookupAt > ctx.clock.now() ? secondLookupAt : refundCheckAt;
  await completeJob(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update labels set recheck_at = ${next}
    where tenant_id = ${ctx.tenant.id} and id = ${labelId} and rechecks = ${number}`),
  );
}

/**
 * Compare the provider's purchases with the label. A purchase that no attempt waits for becomes the label's, any other
 * one is a duplicate, and a rejected refund is flagged. A label that was voided at the provider itself is flagged too:
 * an operator decides whether to buy another.
 *
 * @throws Snooze while an attempt holds the label: it may be about to record the same purchase
 */
export async function matchPurchases(
  ctx: Context,
  labelId: string,
  purchases: readonly LabelPurchase[],
): Promise<void> {
  const orderId = purchases.some(({ state }) => state !== 'undecided' && state !== 'failed')
    ? await orderOfLabel(ctx, labelId)
    : undefined;
  if (!orderId) return;

  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!label) return;
    const own = purchases.filter((purchase) => label.owns(purchase) && isUpdate(label, purchase));
    if (own.length === 0) return;
    if (label.isHeldByAnother(ctx.clock.now())) throw new Snooze(seconds(5), 'another attempt holds the label');

    const bought = own.filter(({ state }) => state === 'purchased');
    // A purchase at a rate that was dropped since is for another parcel, or too late.
    const awaited = bought.find(({ rateId }) => rateId === null || rateId === label.rateId);
    if (awaited && !label.isFinished) await recordPurchase(ctx, order, label, awaited);
    label.updatedAt = ctx.clock.now();
    await ctx.tx.em.flush();
    await recordDuplicates(ctx, label, bought);
    if (order) await recordRejections(ctx, label, own);
    const voided = own.find(isBackAtProvider);
    if (order && voided) await flagVoided(ctx, order, label, voided);
  });
}

function isUpdate(label: Label, purchase: LabelPurchase): boolean {
  const { id, state } = purchase;
  if (id === label.purchaseId)
    return label.state === 'purchased' ? isBackAtProvider(purchase) : state === 'refund_rejected';
  return state === 'purchased' || state === 'refund_rejected';
}

/** Its label cannot be used: it was voided. */
export const isBackAtProvider = ({ state }: LabelPurchase) => state === 'refunding' || state === 'refunded';

/** Nothing to flag while this service voids the label itself, or when the parcel is in transit all the same. */
async function flagVoided(ctx: InTransaction, order: Order, label: Label, { id }: LabelPurchase): Promise<void> {
  if (label.voidingSince || order.shippedAt || !order.isPaid || !label.purchasedAt) return;
  await recordVoidedAtProvider(ctx, label, { id, chargedAt: label.purchasedAt });
  await unlinkParcel(ctx, order, label);
  label.wasVoidedAtProvider();
  await flagUnheld(ctx, order, label, 'carrier_error', 'The label was voided at the shipping provider.');
}
