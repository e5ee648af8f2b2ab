import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../../context.ts';
import {
  type Attention,
  createOrder,
  itemsBoughtAgain,
  lockOrder,
  type NewOrder,
  type NewOrderItem,
  type Order,
  type ShippingAddress,
  stockHolds,
} from '../../orders/index.ts';
import type { InvoiceSnapshot, SubscriptionSnapshot } from '../../ports/payment-snapshots.ts';
import { applySubscription, subscriberOf } from '../../subscriptions/index.ts';
import { flagAttention, payOrder } from '../orders.ts';
import { applySession } from './apply-session.ts';
import { type ApplyResult, isOwnObject, type Snapshot } from './fetch-snapshot.ts';

/**
 * Reconcile our orders with an invoice: each further period that was paid becomes one order. The first period is the
 * order of the checkout.
 */
export async function applyInvoice(
  ctx: InTransaction,
  { invoice, subscription, session, orderNumber }: Extract<Snapshot, { subject: 'invoice' }>,
): Promise<ApplyResult> {
  if (!isOwnObject(ctx, invoice) || !subscription) return 'ignored';
  const first = await lockOrder(ctx, invoice.orderId ?? '');
  if (!first) return 'unknown_order';
  if (session && !first.isPaid) await applySession(ctx, { subject: 'session', session, subscription });
  // Reported as unknown, so that it is tried again after the first period was paid, and flagged if it never is.
  if (!first.isPaid) return invoice.cause === 'renewal' && invoice.isPaid ? 'unknown_order' : 'applied';

  await applySubscription(ctx, subscription, subscriberOf(first));
  if (orderNumber !== undefined) await renew(ctx, { first, invoice, subscription, number: orderNumber });
  return 'applied';
}

/** Whether an order is of a further period of a subscription, which nobody checked out. */
export async function isRenewal(ctx: InTransaction, orderId: string): Promise<boolean> {
  const invoices = await ctx.tx.execute(sql`
    select 1 from payment_invoices where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`);
  return invoices.length > 0;
}

const unknownRenewal: Attention = {
  code: 'renewal_unknown',
  detail: 'A renewal was paid, but none of its items is an item of this order. Check the subscription at the provider.',
};
const partlyUnknownRenewal: Attention = {
  code: unknownRenewal.code,
  detail:
    'This period also paid for something that is no item of the first order of the subscription, so it is not in this ' +
    'one. Check the subscription at the provider.',
};

/** A paid period of a subscription, and the number of its order. */
interface Renewal {
  /** The order of the first period. */
  readonly first: Order;
  readonly invoice: InvoiceSnapshot;
  readonly subscription: SubscriptionSnapshot;
  readonly number: number;
}

/** The first order is locked, so of two jobs with the same invoice the second finds its order created. */
async function renew(ctx: InTransaction, renewal: Renewal): Promise<void> {
  const { first, invoice } = renewal;
  const [made] = await ctx.tx.execute(sql`
    select 1 from payment_invoices where tenant_id = ${ctx.tenant.id} and id = ${invoice.invoiceId}`);
  if (made) return;
  const recorded = await recordedItems(ctx, renewal);
  const { items, unknown } = await renewedItems(ctx, renewal, recorded);
  const moved = recorded.find(({ shippingAddress }) => shippingAddress)?.shippingAddress;
  const shippingAddress = moved ?? first.shippingAddress ?? null;
  if (items.length > 0) {
    const order = await createRenewal(ctx, renewal, { items, shippingAddress });
    if (unknown.length > 0) await flagAttention(ctx, order, partlyUnknownRenewal);
  }
  // An invoice without lines only pays a difference after a change: it is no renewal.
  else if (invoice.lines.length > 0 && invoice.totalCents > 0) await flagAttention(ctx, first, unknownRenewal);
}

/** @returns the order of a period, which is paid already */
async function createRenewal(
  ctx: InTransaction,
  { first, invoice, subscription, number }: Renewal,
  { items, shippingAddress }: Pick<NewOrder, 'items' | 'shippingAddress'>,
): Promise<Order> {
  const orderId = newId('ord');
  const shippingCents = shippingIn(invoice, subscription);
  await createOrder(ctx, {
    id: orderId,
    number,
    items,
    subtotalCents: items.reduce((sum, item) => sum + item.unitPriceCents * item.quantity, 0),
    shippingCents,
    currency: invoice.currency,
    email: first.email ?? null,
    discountCents: items.reduce((sum, item) => sum + item.discountCents, 0),
    giftCardCents: 0,
    totalCents: invoice.totalCents,
    shippingAddress,
    promoCode: null,
    partnerCode: null,
    cartId: null,
    metadata: first.metadata,
    holds: stockHolds(items),
    // Nothing was reserved for it: the stock is taken when it is paid, which is now.
    holdsState: 'released',
    holdsExpireAt: ctx.clock.now(),
  });
  await ctx.tx.execute(sql`
    insert into payment_invoices (tenant_id, id, order_id, created_at)
    values (${ctx.tenant.id}, ${invoice.invoiceId}, ${orderId}, ${ctx.clock.now()})`);
  const order = await lockOrder(ctx, orderId);
  if (!order) throw new TypeError('The order that was just created does not exist.');
  await payOrder(ctx, order, {
    isRenewal: true,
    shippingCents,
    taxCents: invoice.taxCents,
    totalCents: invoice.totalCents,
    email: order.email ?? null,
    name: null,
    phone: null,
    address: null,
    paymentId: invoice.paymentId,
    paymentCustomerId: subscription.customerId,
  });
  return order;
}

/** An item of a subscription, as the provider has it or as it was before it was removed there. */
type SubscribedItem = Pick<SubscriptionSnapshot['items'][number], 'itemId' | 'productId' | 'variantId' | 'interval'>;

/** The items of the subscription in our rows, with the address that they were moved to. */
const recordedItems = (
  ctx: InTransaction,
  { subscription }: Renewal,
): Promise<(SubscribedItem & { readonly shippingAddress: ShippingAddress | null })[]> =>
  ctx.tx.execute(sql`
    select payment_item_id as "itemId", product_id as "productId", variant_id as "variantId", interval,
      shipping_address as "shippingAddress"
    from subscriptions
    where tenant_id = ${ctx.tenant.id} and payment_subscription_id = ${subscription.subscriptionId}`);

/**
 * The lines of the period that are items of the first order, at the amounts that were charged this time, and those that
 * are none and cost something. What was removed from the subscription after the period was paid is only in our rows.
 */
async function renewedItems(
  ctx: InTransaction,
  { first, invoice, subscription }: Renewal,
  recorded: readonly SubscribedItem[],
): Promise<{ items: NewOrderItem[]; unknown: Line[] }> {
  const bought = await itemsBoughtAgain(ctx, first.id);
  const subscribed: readonly SubscribedItem[] = [...subscription.items, ...recorded];
  const items: NewOrderItem[] = [];
  const unknown: Line[] = [];
  for (const line of invoice.lines) {
    const item = subscribed.find(({ itemId }) => itemId === line.itemId);
    const known = bought.find(
      (candidate) =>
        candidate.purchaseType === 'subscription' &&
        candidate.productId === item?.productId &&
        (item.variantId === null || candidate.variantId === item.variantId),
    );
    if (item && known) items.push({ ...known, ...amountsOf(line), subscriptionInterval: item.interval });
    else if (item?.productId !== 'shipping' && line.amountCents > line.discountCents) unknown.push(line);
  }
  return { items, unknown };
}

type Line = InvoiceSnapshot['lines'][number];

/** A price with a part of a cent is rounded with the quantity: what the rounded unit costs more is a discount. */
function amountsOf({ quantity, amountCents, discountCents }: Line) {
  const unitPriceCents = Math.ceil(amountCents / quantity);
  return { quantity, unitPriceCents, discountCents: discountCents + unitPriceCents * quantity - amountCents };
}

/** What was charged for shipping. */
function shippingIn(invoice: InvoiceSnapshot, subscription: SubscriptionSnapshot): number {
  const shipping = subscription.items.filter(({ productId }) => productId === 'shipping').map(({ itemId }) => itemId);
  return invoice.lines
    .filter(({ itemId }) => itemId !== null && shipping.includes(itemId))
    .reduce((sum, { amountCents, discountCents }) => sum + amountCents - discountCents, 0);
}
