import { fromNow } from '#src/lib/clock.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../../context.ts';
import { type Attention, extendHolds, lockOrder, type Order, saveOrder } from '../../orders/index.ts';
import type { SessionSnapshot, SubscriptionSnapshot } from '../../ports/payment-snapshots.ts';
import { applySubscription, liveSubscriptions, subscriberOf } from '../../subscriptions/index.ts';
import { endOrder } from '../orders/close-order.ts';
import { flagAttention } from '../orders/flag-attention.ts';
import { payOrder } from '../orders/pay-order.ts';
import { enqueueDiscountRemoval, resumeChecks, slowPaymentMs } from '../sessions/payment-session.ts';
import { type ApplyResult, isOwnObject, type Snapshot } from './fetch-snapshot.ts';

const amountMismatch: Attention = {
  code: 'amount_mismatch',
  detail: 'What was paid is not what was due: look at it before anything is sent.',
};
const paidTwice: Attention = {
  code: 'paid_twice',
  detail: 'A second session of this order was paid: one payment has to go back.',
};

/** Bring an order into line with its session. */
export async function applySession(
  ctx: InTransaction,
  { session, subscription }: Extract<Snapshot, { subject: 'session' }>,
): Promise<ApplyResult> {
  if (!isOwnObject(ctx, session)) return 'ignored';
  const order = await lockOrder(ctx, session.orderId ?? '');
  if (!order) return 'unknown_order';

  const known = await updateSession(ctx, order, session);
  if (!known) return 'applied';
  const isNewlyPaid = session.state === 'settled' && (await applyPaid(ctx, order, session, known));
  if (session.state === 'processing') await applyProcessing(ctx, order);
  if (session.state === 'failed') await endOrder(ctx, order, 'payment_failed');
  if (session.state === 'expired') await endOrder(ctx, order, 'expired');
  if (subscription && order.isPaid) {
    await applySubscription(ctx, subscription, subscriberOf(order));
    if (isNewlyPaid && known.subscriber) await flagDuplicate(ctx, order, subscription, known.subscriber);
  }
  return 'applied';
}

/** The session that the order has been known to have. */
interface KnownSession {
  readonly sessionId: string;
  readonly discountCents: number;
  /** The address that it would subscribe, where the checkout was given one. */
  readonly subscriber: string | null;
}

/**
 * Our row of the session. It only goes forward: an older answer that comes late changes nothing. Another session than
 * the order's own counts only when it was paid; if it was the first to be, it is the order's own from then on.
 */
async function updateSession(
  ctx: InTransaction,
  order: Order,
  session: SessionSnapshot,
): Promise<KnownSession | undefined> {
  const state = session.state === 'settled' && isMismatch(order, session) ? 'mismatched' : session.state;
  const isFirstPaid = session.state === 'settled' && !order.isPaid;
  const isFinal = state !== 'open' && state !== 'processing';
  const [row] = await ctx.tx.execute<KnownSession>(sql`
    update payment_sessions set
      provider_session_id = case when ${isFirstPaid} then ${session.sessionId} else coalesce(provider_session_id, ${session.sessionId}) end,
      provider_payment_id = coalesce(${session.paymentId}, provider_payment_id),
      url = coalesce(${session.url}, url),
      state = case
        when state in ('creating', 'open') or ${state} in ('settled', 'mismatched') or (state = 'processing' and ${state} <> 'open')
          then ${state} else state end,
      check_at = case when ${isFinal} then null else check_at end
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id}
      and (provider_session_id is null or provider_session_id = ${session.sessionId} or ${session.state === 'settled'})
    returning provider_session_id as "sessionId", (request ->> 'discountCents')::int8 as "discountCents", subscriber`);
  if (row && isFinal) enqueueDiscountRemoval(ctx, order.id, row);
  return row;
}

/** Whether it was this that paid the order. */
async function applyPaid(
  ctx: InTransaction,
  order: Order,
  session: SessionSnapshot,
  known: KnownSession,
): Promise<boolean> {
  if (order.isPaid) {
    if (known.sessionId !== session.sessionId) await flagAttention(ctx, order, paidTwice);
    return false;
  }
  if (isMismatch(order, session)) {
    await flagAttention(ctx, order, amountMismatch);
    return false;
  }
  return payOrder(ctx, order, {
    ...session,
    shippingCents: order.shippingCents + session.shippingCents,
    paymentCustomerId: session.customerId,
  });
}

/**
 * Expected are the items less what was taken off, in the order's currency; what shipping and tax come to is the
 * provider's to say. In subscription mode shipping is a line, and its amount is the order's already. Tax may stand
 * within the prices or beside them.
 */
function isMismatch(order: Order, session: SessionSnapshot): boolean {
  if (order.isPaid) return false;
  const due = session.subtotalCents - session.discountCents + session.shippingCents;
  return (
    session.currency !== order.currency ||
    session.subtotalCents !== order.subtotalCents + order.shippingCents ||
    session.discountCents !== order.discountCents + order.giftCardCents ||
    (session.totalCents !== due && session.totalCents !== due + session.taxCents)
  );
}

/** The shopper is done and the money is on its way: what is set aside stays so. */
async function applyProcessing(ctx: InTransaction, order: Order): Promise<void> {
  await resumeChecks(ctx, order.id);
  if (order.status !== 'pending' || order.paymentStatus === 'processing') return;
  order.movePaymentTo('processing');
  await extendHolds(ctx, order.id, fromNow(ctx.clock, slowPaymentMs));
  await saveOrder(ctx, order);
}

const subscribedTwice: Attention = {
  code: 'duplicate_subscription',
  detail: 'The shopper subscribed to the same thing twice, and paid for both.',
};

/**
 * A session whose money is slow is paid days after its shopper was done with it, who may have checked out again
 * meanwhile: then the address is subscribed to the same thing twice, which only a person can undo. Call when the order
 * was paid in this transaction: that locks the customer, so of two that are paid at once the second sees the first.
 */
async function flagDuplicate(
  ctx: InTransaction,
  order: Order,
  { subscriptionId, items }: SubscriptionSnapshot,
  email: string,
): Promise<void> {
  const productIds = items.flatMap(({ productId }) => productId ?? []);
  const live = await liveSubscriptions(ctx, { email, productIds });
  if (live.every(({ paymentSubscriptionId }) => paymentSubscriptionId === subscriptionId)) return;
  await flagAttention(ctx, order, subscribedTwice);
}
