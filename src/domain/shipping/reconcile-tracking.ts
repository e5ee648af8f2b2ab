import { reconcileTracking as reconcileTrackingJob } from '#jobs/labels.ts';
import { lockRow } from '#src/database/rows.ts';
import { asPlatform, completeJob, readOne } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { isEmailAddress } from '#src/lib/email-address.ts';
import { found, ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueueFor } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction, PlatformContext } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import { type FulfillmentUpdate, lockOrder, type Order, readManagedOrder, recordFulfillment } from '../orders/index.ts';
import type { TrackingUpdate } from '../ports/shipping-gateway.ts';
import { matchPurchases } from './check-purchases.ts';
import { parcelAttentions } from './parcel-attention.ts';
import { pauseLabels } from './pause-labels.ts';
import { type OpenedAccount, openAccount } from './shipping-account.ts';
import { fulfillmentFor, type NewTracking, pollEveryMs, Tracking } from './tracking.ts';

/** How many parcels one round enqueues; the next round takes the rest. */
const batchSize = 500;

/** A parcel that has not arrived after this long is no longer polled. It was flagged weeks before. */
const pollForMs = days(60);

/** Enqueue a poll of every parcel in transit that is due for one. */
export async function pollTrackings(ctx: PlatformContext): Promise<void> {
  await asPlatform(ctx, 'polls of parcels are enqueued for every store', async (ctx) => {
    const now = ctx.clock.now();
    const due = await ctx.tx.execute<{ tenantId: string; trackingId: string; number: number }>(sql`
      update trackings set polls = polls + 1,
        next_poll_at = case when created_at > ${fromNow(ctx.clock, -pollForMs)}
          then ${fromNow(ctx.clock, pollEveryMs)}::timestamptz end
      where (tenant_id, id) in (
        select tenant_id, id from trackings where next_poll_at <= ${now}
        order by next_poll_at limit ${batchSize} for update skip locked)
      returning tenant_id as "tenantId", id as "trackingId", polls as number`);
    for (const { tenantId, ...payload } of due) enqueueFor(ctx, tenantId, reconcileTrackingJob, payload);
  });
}

/**
 * Fetch the status of a parcel and update its order. Updates arrive late, twice and in any order, so a parcel only
 * moves forward, and its order is shipped at the first movement that is reported.
 */
export async function reconcileTracking(ctx: Context, { trackingId }: { trackingId: string }): Promise<void> {
  const [parcel, opened] = await Promise.all([findParcel(ctx, trackingId), openAccount(ctx)]);
  if (!parcel || !opened || opened.isPaused) return;
  const update = await fetchStatus(ctx, opened, parcel);

  await completeJob(ctx, async (ctx) => {
    const order = await lockOrder(ctx, parcel.orderId);
    const tracking = await lockRow(ctx, Tracking, trackingId);
    if (!order || !tracking) return;
    if (update) tracking.followed = true;
    const now = ctx.clock.now();
    const hasChanged = update && tracking.apply(update, now);
    if (tracking.noteOverdue(now) || hasChanged) await updateOrder(ctx, order, tracking);
  });
}

/** Fetch the parcel's status. While it has not moved, check also whether its label was voided at the provider. */
async function fetchStatus(ctx: Context, opened: OpenedAccount, parcel: Parcel): Promise<TrackingUpdate | undefined> {
  const { shipping } = ctx.ports;
  const options = { signal: ctx.signal };
  try {
    const update = await shipping[parcel.followed ? 'track' : 'follow'](opened.account, parcel, options);
    const { labelId, purchaseId } = parcel;
    if (labelId && purchaseId && (update.status === 'unknown' || update.status === 'pre_transit')) {
      await matchPurchases(ctx, labelId, [await shipping.fetchPurchase(opened.account, purchaseId, options)]);
    }
    return update;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // The parcel is polled again later, when the account's key works.
    if (error.failure === 'denied') await pauseLabels(ctx, opened);
    // A parcel that the provider does not know, or does not track, has no status to record.
    else if (error.failure !== 'missing' && error.failure !== 'refused') throw error;
    return undefined;
  }
}

interface Parcel extends Pick<NewTracking, 'orderId' | 'labelId' | 'carrier' | 'trackingNumber' | 'followed'> {
  /** Of its label, where that was bought here. */
  readonly purchaseId: string | null;
}

async function findParcel(ctx: Context, id: string): Promise<Parcel | undefined> {
  return readOne<Parcel>(
    ctx,
    sql`
    select t.order_id as "orderId", t.carrier, t.tracking_number as "trackingNumber", t.followed,
      l.id as "labelId", l.purchase_id as "purchaseId"
    from trackings t left join labels l on l.tenant_id = t.tenant_id and l.id = t.label_id
    where t.tenant_id = ${ctx.tenant.id} and t.id = ${id}`,
  );
}

/** The label of a refunded order was used all the same, perhaps while it was being voided. */
const shippedAfterRefund = {
  code: 'shipped_after_refund',
  detail: 'A parcel of this order moved after the order was refunded in full and its goods were put back in stock.',
};

/**
 * A parcel that moved was shipped, also when the first update says that it was delivered, and whatever became of its
 * label or its order: the goods have left.
 */
async function updateOrder(ctx: InTransaction, order: Order, tracking: Tracking): Promise<void> {
  const status = fulfillmentFor[tracking.status];
  const label = {
    carrier: tracking.carrierName,
    service: tracking.service ?? null,
    tracking_number: tracking.trackingNumber,
    tracking_url: tracking.trackingUrl ?? null,
    status: tracking.status,
  };
  if (status && !order.shippedAt && order.mayMoveFulfillmentTo('shipped')) {
    const attention = order.status === 'refunded' && { attention: shippedAfterRefund };
    await recordFulfillmentChange(ctx, order, { status: 'shipped', ...attention });
  }
  // Goods that were sent again arrived, whatever becomes of the first parcel.
  const hasArrived = order.labels.some(
    ({ tracking_number: number, status }) => number !== tracking.trackingNumber && status === 'delivered',
  );
  const moves = status && order.mayMoveFulfillmentTo(status) && !(status === 'returned' && hasArrived);
  const attentions = await parcelAttentions(ctx, order, tracking);
  await recordFulfillmentChange(ctx, order, { label, ...(moves && { status }), ...attentions });
}

/**
 * Record the progress of an order's parcel, and enqueue the shipping email the first time that it is in transit. The
 * order is locked.
 */
export async function recordFulfillmentChange(
  ctx: InTransaction,
  order: Order,
  update: FulfillmentUpdate,
): Promise<void> {
  const wasShipped = Boolean(order.shippedAt);
  await recordFulfillment(ctx, order.id, update);
  if (!wasShipped && order.shippedAt) await enqueueShippingMail(ctx, order);
}

/** Email the shopper what is on its way, in which parcels. Call with the order locked and its changes written. */
export async function enqueueShippingMail(ctx: InTransaction, order: Order): Promise<void> {
  if (!order.email || !isEmailAddress(order.email)) return;
  const { order: view, packingList } = found(await readManagedOrder(ctx, order.id), 'order');
  const items = view.items.flatMap((item) => {
    const packed = packingList.find(({ orderItemId }) => orderItemId === item.id);
    return packed ? { ...item, quantity: packed.quantity } : [];
  });
  enqueueMail(ctx, { kind: 'shipped', to: order.email, subjectId: order.id, data: { ...view, items } });
}
