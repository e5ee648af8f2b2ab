import { hasChanged } from '#src/database/rows.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import type { Order, ShippingAddress } from '../orders/index.ts';
import type { SubscriptionSnapshot } from '../ports/payment-snapshots.ts';
import { lockSubscriptions, Subscription, type SubscriptionStatus } from './subscription.ts';

/** The owner of a subscription, by the order that began it. */
export interface Subscriber {
  readonly orderId: string;
  readonly customerId: string | null;
  readonly email: string | null;
}

/** A snapshot of a subscription, with the number that was taken from a sequence before it was requested. */
export interface FetchedSubscription extends SubscriptionSnapshot {
  readonly snapshotNumber: number;
}

type Item = SubscriptionSnapshot['items'][number];

/**
 * Reconcile the rows of one subscription with a snapshot. A snapshot that was requested before the last applied one is
 * dropped. Call with the order locked that began it: then each change records one event, however many jobs apply
 * snapshots at once.
 */
export async function applySubscription(
  ctx: InTransaction,
  snapshot: FetchedSubscription,
  subscriber: Subscriber,
): Promise<void> {
  if (snapshot.state === 'starting') return;
  const known = await lockSubscriptions(ctx, { paymentSubscriptionId: snapshot.subscriptionId });
  if (known.some((row) => row.snapshotNumber > snapshot.snapshotNumber)) return;

  const shippingAddress = known.find((row) => row.shippingAddress)?.shippingAddress ?? null;
  for (const item of snapshot.items) {
    const row = known.find(({ paymentItemId }) => paymentItemId === item.itemId);
    if (row) update(ctx, row, snapshot, item, snapshot.state);
    else if (isCatalogItem(item)) begin(ctx, item, snapshot, snapshot.state, { ...subscriber, shippingAddress });
  }
  for (const row of known) {
    if (!snapshot.items.some(({ itemId }) => itemId === row.paymentItemId)) end(ctx, row);
  }
  await ctx.tx.em.flush();
  await ctx.tx.execute(sql`
    update subscriptions set snapshot_number = ${snapshot.snapshotNumber}, requested_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and payment_subscription_id = ${snapshot.subscriptionId}`);
}

/** An item of the catalogue: not the shipping line, and nothing that was added at the provider. */
function isCatalogItem(item: Item): item is Item & { readonly productId: string } {
  return item.productId?.startsWith('prod_') ?? false;
}

function begin(
  ctx: InTransaction,
  item: Item & { readonly productId: string },
  snapshot: FetchedSubscription,
  status: SubscriptionStatus,
  subscriber: Subscriber & { readonly shippingAddress: ShippingAddress | null },
): void {
  const now = ctx.clock.now();
  const row = ctx.tx.em.create(Subscription, {
    ...termsOf(snapshot, item),
    tenantId: ctx.tenant.id,
    id: newId('sub'),
    paymentSubscriptionId: snapshot.subscriptionId,
    paymentItemId: item.itemId,
    paymentCustomerId: snapshot.customerId,
    orderId: subscriber.orderId,
    productId: item.productId,
    variantId: item.variantId,
    status,
    email: subscriber.email ?? (snapshot.email && normaliseEmail(snapshot.email)),
    customerId: subscriber.customerId,
    shippingAddress: subscriber.shippingAddress,
    version: 1,
    snapshotNumber: snapshot.snapshotNumber,
    requestedAt: now,
    createdAt: now,
    updatedAt: now,
  });
  recordEvent(ctx, 'subscription.created', row.id);
  if (status === 'canceled') recordEvent(ctx, 'subscription.canceled', row.id);
}

function update(
  ctx: InTransaction,
  row: Subscription,
  snapshot: SubscriptionSnapshot,
  item: Item,
  status: SubscriptionStatus,
): void {
  if (row.status === 'canceled') return;
  Object.assign(row, termsOf(snapshot, item));
  // Another price, such as one that was chosen in the billing portal, may be that of another product.
  if (isCatalogItem(item)) Object.assign(row, { productId: item.productId, variantId: item.variantId });
  row.moveTo(status);
  recordChange(ctx, row);
}

/** The item is no longer part of the subscription. */
function end(ctx: InTransaction, row: Subscription): void {
  if (row.status === 'canceled') return;
  row.moveTo('canceled');
  row.canceledAt = ctx.clock.now();
  recordChange(ctx, row);
}

/** Record the event of a change that is still to be flushed, if there is one. */
export function recordChange(ctx: InTransaction, row: Subscription): void {
  if (!hasChanged(ctx, row)) return;
  row.updatedAt = ctx.clock.now();
  recordEvent(ctx, row.status === 'canceled' ? 'subscription.canceled' : 'subscription.updated', row.id);
}

function termsOf(snapshot: SubscriptionSnapshot, item: Item) {
  return {
    interval: item.interval,
    quantity: item.quantity,
    unitPriceCents: item.unitPriceCents,
    currency: snapshot.currency,
    currentPeriodEnd: item.currentPeriodEnd,
    cancelAtPeriodEnd: snapshot.cancelAtPeriodEnd,
    canceledAt: snapshot.canceledAt,
  };
}

/** The owner of the subscriptions that this order began. */
export function subscriberOf({ id, customerId, email }: Order): Subscriber {
  return { orderId: id, customerId: customerId ?? null, email: email ?? null };
}
