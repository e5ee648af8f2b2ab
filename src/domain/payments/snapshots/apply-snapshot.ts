import { transact } from '#src/database/transact.ts';
import type { Context, InTransaction } from '../../context.ts';
import { lockOrder } from '../../orders/index.ts';
import type { PaymentAccount, PaymentSubject } from '../../ports/payment-gateway.ts';
import { applySubscription, type FetchedSubscription, subscriberOf } from '../../subscriptions/index.ts';
import { applyInvoice } from './apply-invoice.ts';
import { applyPayment } from './apply-payment.ts';
import { applySession } from './apply-session.ts';
import { type ApplyResult, fetchSnapshot, isOwnObject, type Snapshot } from './fetch-snapshot.ts';

/**
 * Reconcile our rows with a snapshot. Webhooks, polls, sweeps and replays all come through here. Applying a snapshot
 * again changes nothing, so repeats, races and disorder do not matter.
 */
export async function applySnapshot(ctx: InTransaction, snapshot: Snapshot): Promise<ApplyResult> {
  switch (snapshot.subject) {
    case 'session':
      return applySession(ctx, snapshot);
    case 'subscription':
      return applySubscriptionSnapshot(ctx, snapshot.subscription);
    case 'invoice':
      return applyInvoice(ctx, snapshot);
    case 'payment':
      return applyPayment(ctx, snapshot);
  }
}

/**
 * Fetch an object from the provider and apply its snapshot.
 * @returns `undefined` when the provider has no such object
 * @throws ProviderError
 */
export async function applyCurrent(
  ctx: Context,
  account: PaymentAccount,
  subject: PaymentSubject,
  objectId: string,
): Promise<ApplyResult | undefined> {
  const snapshot = await fetchSnapshot(ctx, account, subject, objectId);
  return snapshot && transact(ctx, (ctx) => applySnapshot(ctx, snapshot));
}

/** Before its order is paid nothing is mirrored: the snapshot of the paid session contains the subscription. */
async function applySubscriptionSnapshot(ctx: InTransaction, subscription: FetchedSubscription): Promise<ApplyResult> {
  if (!isOwnObject(ctx, subscription)) return 'ignored';
  const order = await lockOrder(ctx, subscription.orderId ?? '');
  if (!order) return 'unknown_order';
  if (order.isPaid) await applySubscription(ctx, subscription, subscriberOf(order));
  return 'applied';
}
