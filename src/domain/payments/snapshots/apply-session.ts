import { fromNow } from '#src/lib/clock.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../../context.ts';
import { type Attention, extendHolds, lockOrder, type Order, releaseHolds, saveOrder } from '../../orders/index.ts';
import type { SessionSnapshot, SubscriptionSnapshot } from '../../ports/payment-snapshots.ts';
import { applySubscription, liveSubscriptions, subscriberOf } from '../../subscriptions/index.ts';
import { endOrder, flagAttention, payOrder } from '../orders.ts';
import { enqueueDiscountRemoval, resumeChecks, slowPaymentMs } from '../sessions/payment-session.ts';
import { type ApplyResult, isOwnObject, type Snapshot } from './fetch-snapshot.ts';

const amountMismatch: Attention = {
  code: 'amount_mismatch',
  detail: 'The amount paid is not the amount due. Check the payment before you ship anything.',
};
const paidTwice: Attention = {
  code: 'paid_twice',
  detail: 'This order was paid twice, through two sessions. Refund one of the payments.',
};

/** Reconcile an order with the snapshot of its session. */
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
  if (session.state === 'processing') await applyProcessing(ctx, order, session);
  if (session.state === 'failed') await endOrder(ctx, order, 'payment_failed');
  if (session.state === 'expired') await endOrder(ctx, order, 'expired');
  if (subscription && order.isPaid) {
    await applySubscription(ctx, subscription, subscriberOf(order));
    if (isNewlyPaid && known.subscriber) await flagDuplicate(ctx, order, subscription, known.subscriber);
  }
  return 'applied';
}

/** The stored session of the order. */
interface KnownSession {
  readonly sessionId: string;
  readonly discountCents: number;
  /** The email that it would subscribe, where one was given at checkout. */
  readonly subscriber: string | null;
}

/**
 * Update the stored session. Its state only goes forward: an older snapshot that arrives late changes nothing. A
 * session other than the stored one counts only once it is paid; the first one that is paid becomes the stored one.
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
      provider_session_id = case when ${isFirstPaid} then ${session.sessionId}
        else coalesce(provider_session_id, ${session.sessionId}) end,
      provider_payment_id = coalesce(${session.paymentId}, provider_payment_id),
      url = coalesce(${session.url}, url),
      state = case
        when state in ('creating', 'open') or ${state} in ('settled', 'mismatched')
          or (state = 'processing' and ${state} <> 'open')
        then ${state} else state end,
      check_at = case when ${isFinal} then null else check_at end
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id}
      and (provider_session_id is null or provider_session_id = ${session.sessionId} or ${session.state === 'settled'})
    returning provider_session_id as "sessionId", (request ->> 'discountCents')::int8 as "discountCents", subscriber`);
  if (row && isFinal) enqueueDiscountRemoval(ctx, order.id, row);
  return row;
}

/** @returns whether this snapshot paid the order */
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
    totalCents: session.totalCents - session.creditCents,
    paymentCustomerId: session.customerId,
  });
}

/**
 * Due are the items less discount and gift card, in the order's currency; the amounts of shipping and tax are the
 * provider's. In subscription mode shipping is a line, so its amount is part of the order already. Of the tax, a part
 * may be included in the prices and another added, such as a fee of a state on deliveries.
 */
function isMismatch(order: Order, session: SessionSnapshot): boolean {
  if (order.isPaid) return false;
  const due = session.subtotalCents - session.discountCents + session.shippingCents;
  return (
    session.currency !== order.currency ||
    session.subtotalCents !== order.subtotalCents + order.shippingCents ||
    session.discountCents !== order.discountCents + order.giftCardCents ||
    session.totalCents < due ||
    session.totalCents > due + session.taxCents
  );
}

/**
 * The shopper is done and the money is on its way: the holds stay until it arrives or fails, or has taken too long. In
 * these days the shopper can be found by the email that was entered at the provider.
 */
async function applyProcessing(ctx: InTransaction, order: Order, { email }: SessionSnapshot): Promise<void> {
  await resumeChecks(ctx, order.id);
  if (order.status !== 'pending') return;
  if (order.paymentStatus === 'processing') {
    await releaseHolds(ctx, order.id, { onlyOverdue: true });
    return;
  }
  order.movePaymentTo('processing');
  order.email ??= email && normaliseEmail(email);
  await extendHolds(ctx, order.id, fromNow(ctx.clock, slowPaymentMs));
  await saveOrder(ctx, order);
}

const subscribedTwice: Attention = {
  code: 'duplicate_subscription',
  detail: 'The shopper subscribed to the same product twice, and paid for both subscriptions.',
};

/**
 * A slow payment arrives days after its checkout, and the shopper may have subscribed to the same product in another
 * checkout meanwhile: only an operator can undo that. Call it in the transaction that paid the order: it has locked the
 * customer, so of two orders that are paid at once the second sees the first.
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
