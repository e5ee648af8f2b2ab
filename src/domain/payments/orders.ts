import { awaitAll } from '#src/lib/await-all.ts';
import { isEmailAddress, normaliseEmail } from '#src/lib/email-address.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { recordOrderPaid } from '../analytics/index.ts';
import { markBought } from '../cart/index.ts';
import type { InTransaction } from '../context.ts';
import { linkPaymentCustomer, upsertCustomer } from '../customers/index.ts';
import { enqueueMail } from '../mail/index.ts';
import {
  type Attention,
  captureHolds,
  type Order,
  readOrder,
  releaseHolds,
  restockOrder,
  type Shortage,
  saveOrder,
} from '../orders/index.ts';
import { attributeOrder, calculateRetained } from '../partners/index.ts';
import type { SessionSnapshot } from '../ports/payment-snapshots.ts';
import { leftToReturn, returnGiftCard } from '../promotions/index.ts';
import { stopReminders } from '../reminders/index.ts';
import { endedByRefund, enqueueLabelRefund, requestLabel } from '../shipping/index.ts';

/** What a payment says about its order. Amounts are minor units of the order's currency. */
export interface Payment
  extends Pick<SessionSnapshot, 'shippingCents' | 'taxCents' | 'totalCents' | 'email' | 'name' | 'phone' | 'address'> {
  /** A further period of a subscription: no shopper checked out, so no saved cart is closed and no visit counts. */
  readonly isRenewal?: true;
  /** The provider's id of the payment; `null` where nothing was due. */
  readonly paymentId: string | null;
  /** The provider's id of the customer, where the payment has one. */
  readonly paymentCustomerId: string | null;
}

/**
 * Mark an order paid, with all that follows from it, once and in this transaction. Call with the order locked: a second
 * call finds it paid and changes nothing. Holds that can no longer be captured do not stop the payment: the order is
 * paid and flagged for an operator.
 *
 * @returns whether this call made it paid
 */
export async function payOrder(ctx: InTransaction, order: Order, payment: Payment): Promise<boolean> {
  if (order.isPaid) return false;
  order.moveTo('paid');
  order.movePaymentTo('paid');
  const paidAt = ctx.clock.now();
  order.paidAt = paidAt;
  order.shippingCents = payment.shippingCents;
  order.taxCents = payment.taxCents;
  order.totalCents = payment.totalCents;
  order.paymentId = payment.paymentId;
  order.email ??= payment.email && normaliseEmail(payment.email);
  if (payment.address) {
    order.shippingAddress = { ...payment.address, phone: payment.phone, email: order.email ?? null };
  }
  order.resolve('amount_mismatch');
  await recordPayer(ctx, order, payment);
  await saveOrder(ctx, order);

  recordEvent(ctx, 'order.paid', order.id);
  await awaitAll(
    closeSale(ctx, order, { ...payment, paidAt }),
    requestLabel(ctx, { orderId: order.id }),
    enqueueMails(ctx, order, payment),
  );
  // Last, because other buyers of the same items wait from here to the commit.
  await flagShortages(ctx, order, await captureHolds(ctx, { orderId: order.id, paidBy: payment.email ?? undefined }));
  return true;
}

const shortageDetails: Record<Shortage, string> = {
  oversold: 'The payment arrived after the reserved stock was released, and not enough stock is left.',
  gift_card_spent: 'The payment arrived after the gift card was released, and the card has been spent elsewhere.',
};

async function flagShortages(ctx: InTransaction, order: Order, shortages: readonly Shortage[]): Promise<void> {
  for (const code of shortages) order.flag({ code, detail: shortageDetails[code] });
  await saveOrder(ctx, order);
}

async function recordPayer(ctx: InTransaction, order: Order, { name, paymentCustomerId }: Payment): Promise<void> {
  if (!order.email) return;
  const customer = await upsertCustomer(ctx, { email: order.email, name });
  order.customerId = customer.id;
  if (paymentCustomerId) await linkPaymentCustomer(ctx, { customerId: customer.id, paymentCustomerId });
}

/**
 * Close the cart and stop its reminders; credit the partner, found by the code that was given at checkout or else by
 * the shopper's session; count the sale.
 */
async function closeSale(
  ctx: InTransaction,
  order: Order,
  { isRenewal, paidAt }: Payment & { readonly paidAt: Date },
): Promise<void> {
  const { id: orderId, cartId = null, email = null, customerId = null, partnerCode, currency, totalCents } = order;
  // The metadata of a renewal is that of the checkout, but its shopper's visits led to the first order only.
  const visited = isRenewal ? undefined : order.metadata['session_id'];
  const named = typeof visited === 'string' ? visited : null;
  const bought = isRenewal ? undefined : await markBought(ctx, { email, cartId, sessionId: named });
  if (bought) await stopReminders(ctx, { orderId, paidAt }, bought.savedCarts);
  const sessionId = bought?.sessionId ?? named;
  if (partnerCode || sessionId) {
    await attributeOrder(ctx, {
      orderId,
      partnerCode,
      sessionId,
      totalCents: order.subtotalCents - order.discountCents,
    });
  }
  recordOrderPaid(ctx, { orderId, paidAt, totalCents, currency, customerId, cartId, sessionId, isRenewal });
}

/** An invalid email address does not stop the payment. */
async function enqueueMails(ctx: InTransaction, order: Order, { name }: Payment): Promise<void> {
  const { email, gift, id: subjectId } = order;
  if (email && isEmailAddress(email)) {
    const view = await readOrder(ctx, subjectId);
    if (view) enqueueMail(ctx, { kind: 'receipt', to: email, subjectId, data: view });
  }
  if (gift && isEmailAddress(gift.recipient_email)) {
    const { recipient_email: to, ...given } = gift;
    enqueueMail(ctx, { kind: 'gift', to, subjectId, data: { ...given, giver_name: name } });
  }
}

/**
 * Close an order that will not be paid and release its holds. Call with the order locked; an order that is no longer
 * pending stays as it is.
 *
 *   expired          the time to pay it is over
 *   payment_failed   a slow payment failed
 *   canceled         its session could not be created
 */
export async function endOrder(
  ctx: InTransaction,
  order: Order,
  status: 'expired' | 'payment_failed' | 'canceled',
): Promise<void> {
  if (order.status !== 'pending') return;
  order.moveTo(status);
  if (status === 'payment_failed') order.movePaymentTo('failed');
  await releaseHolds(ctx, order.id);
  await saveOrder(ctx, order);
  if (status !== 'canceled') recordEvent(ctx, `order.${status}`, order.id);
}

/**
 * Make an order refunded of which no money is left at the provider, and undo its sale. Call with the order locked.
 * @returns the amount that was returned to the gift card, if it can be used
 */
export async function closeRefunded(ctx: InTransaction, order: Order): Promise<number> {
  order.moveTo('refunded');
  order.movePaymentTo('refunded');
  recordEvent(ctx, 'order.refunded', order.id);
  const cardCents = await undoSale(ctx, order);
  await saveOrder(ctx, order);
  return cardCents;
}

/**
 * Undo the sale of a fully refunded order: return the gift card's part, restock goods that were not shipped, and cancel
 * the label. What was flagged of a parcel that does not arrive is resolved. Call with the order locked.
 * @returns the amount that was returned to the gift card, if it can be used
 */
export async function undoSale(ctx: InTransaction, order: Order): Promise<number> {
  const left = order.giftCardCents > 0 ? await leftToReturn(ctx, { orderId: order.id }) : 0;
  const isUsable = await refundToGiftCard(ctx, order);
  order.resolve(...endedByRefund);
  if (!order.shippedAt) await restockOrder(ctx, order.id);
  await enqueueLabelRefund(ctx, order);
  return isUsable ? left : 0;
}

const giftCardDisabled: Attention = {
  code: 'gift_card_disabled',
  detail: 'The part that a gift card paid was returned to the card, and the card is disabled.',
};

/**
 * Return what a gift card paid of an order, by default all of it, and flag the order if the card is disabled. Call with
 * the order locked.
 * @returns whether the card can be used
 */
export async function refundToGiftCard(ctx: InTransaction, order: Order, amountCents?: number): Promise<boolean> {
  const isUsable = await returnGiftCard(ctx, { orderId: order.id, ...(amountCents !== undefined && { amountCents }) });
  if (order.giftCardCents > 0) await calculateRetained(ctx, order.id);
  if (!isUsable) await flagAttention(ctx, order, giftCardDisabled);
  return isUsable;
}

/** Flag an order whose payment needs an operator. Call with the order locked. */
export async function flagAttention(ctx: InTransaction, order: Order, attention: Attention): Promise<void> {
  if (!order.flag(attention)) return;
  await saveOrder(ctx, order);
  ctx.log.error({ order: order.orderNumber, code: attention.code }, 'an order needs attention');
}
