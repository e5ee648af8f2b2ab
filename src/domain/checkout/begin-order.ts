import { brokenConstraint, transact } from '#src/database/transact.ts';
import { awaitAll } from '#src/lib/await-all.ts';
import { fromNow } from '#src/lib/clock.ts';
import type { Context } from '../context.ts';
import { createOrder, type Gift, orderNumberOf, takeHolds, takeOrderNumber } from '../orders/index.ts';
import {
  findPaymentCustomer,
  insertSession,
  isBeingSubscribed,
  type PaymentSession,
  requestMs,
  type SellingTerms,
  type Subscribing,
} from '../payments/index.ts';
import type { CheckoutInput } from './checkout-input.ts';
import { continuableMs, type OrderPlan, planOrder } from './plan-order.ts';
import type { CheckoutQuote, KnownBuyer } from './quote-checkout.ts';
import { supersedeSession } from './supersede-session.ts';

/** What is bought, how it is priced, and the API request that it belongs to. */
export interface Purchase {
  readonly input: Omit<CheckoutInput, 'items'>;
  readonly gift?: Gift;
  readonly requestKey: string | null | undefined;
  quote(known: KnownBuyer): Promise<CheckoutQuote>;
}

/** The caller, and the subject of whose sessions one can be open at a time. */
export interface Caller {
  readonly email: string | null;
  /** The email as the caller entered it. */
  readonly enteredEmail: string;
  readonly subject: string | null;
  readonly requestKey: string | null;
  /** The caller's deadline, as of `performance.now()`. */
  readonly endsAt: number;
}

/** An order whose session is being created, or was. */
export interface BegunOrder {
  /** Whether this attempt of the request created it. */
  readonly isNew: boolean;
  readonly session: PaymentSession;
  readonly orderNumber: string;
  readonly currency: string;
  readonly totalCents: number;
}

/**
 * Plan the order, close the caller's sessions that conflict with it, and store it with its session.
 * @returns `undefined` when another request of the caller interfered, so this one must start again
 */
export async function beginOrder(
  ctx: Context,
  { input, gift, quote }: Purchase,
  { caller, terms, goneCustomerId }: { caller: Caller; terms: SellingTerms; goneCustomerId: string | null },
): Promise<BegunOrder | undefined> {
  const { email } = caller;
  const plan = planOrder(ctx, input, await quote({ email, liveSubscriptions: terms.liveSubscriptions }), terms, email);
  const subscribing = subscribingOf(plan, email);
  for (const orderId of conflictingSessions(terms, subscribing)) {
    if ((await supersedeSession(ctx, terms.account, orderId)) === 'changed') return undefined;
  }
  const customerId =
    plan.request.mode === 'subscription' ? await findSubscribingCustomer(ctx, terms, caller, goneCustomerId) : null;
  const number = await takeOrderNumber(ctx);
  try {
    const session = await writeOrder(ctx, plan, { ...caller, number, customerId, gift, subscribing });
    const { currency, totalCents } = plan.order;
    return { isNew: true, session, orderNumber: orderNumberOf(number), currency, totalCents };
  } catch (error) {
    if (isConcurrentCheckout(error)) return undefined;
    throw error;
  }
}

/** The provider's customer of the caller; null where the caller gave no email. */
async function findSubscribingCustomer(
  ctx: Context,
  { account, paymentCustomerId }: SellingTerms,
  { email, enteredEmail }: Caller,
  goneCustomerId: string | null,
): Promise<string | null> {
  if (!email) return null;
  return paymentCustomerId ?? (await findPaymentCustomer(ctx, account, { email, enteredEmail, goneCustomerId }));
}

interface OrderDetails {
  readonly number: number;
  readonly customerId: string | null;
  readonly gift: Gift | null | undefined;
  readonly subscribing: Subscribing | null;
}

/** Order, holds and session in one transaction. Locks go from the order to its subjects. */
async function writeOrder(
  ctx: Context,
  { order, request, expiresAt }: OrderPlan,
  { number, customerId, gift = null, subject, subscribing, requestKey }: Caller & OrderDetails,
): Promise<PaymentSession> {
  return transact(ctx, async (ctx) => {
    if (subscribing && (await isBeingSubscribed(ctx, subscribing))) throw new SubscriptionInProgress();
    const [, session] = await awaitAll(
      createOrder(ctx, { ...order, number, gift }),
      insertSession(ctx, {
        request: { ...request, customerId, customerEmail: customerId ? null : request.customerEmail },
        idempotencyKey: `checkout:${order.id}`,
        requestKey,
        subject,
        subscribing,
        repairAt: fromNow(ctx.clock, requestKey === null ? requestMs : continuableMs),
        expiresAt,
      }),
      takeHolds(ctx, order.holds, order.email),
    );
    return session;
  });
}

/** The subscriptions that the order would begin for the caller's email; null without an email or subscriptions. */
function subscribingOf({ order }: OrderPlan, email: string | null): Subscribing | null {
  const productIds = order.items
    .filter(({ purchaseType }) => purchaseType === 'subscription')
    .map(({ productId }) => productId);
  return email && productIds.length > 0 ? { subscriber: email, productIds } : null;
}

/**
 * The orders whose sessions must be closed first: the caller's older one, and those of any cart that would subscribe
 * the same email to the same product.
 */
function conflictingSessions(
  { liveOrderId, subscribingSessions }: SellingTerms,
  subscribing: Subscribing | null,
): Set<string> {
  const twice = subscribingSessions.filter((other) =>
    other.productIds.some((id) => subscribing?.productIds.includes(id)),
  );
  return new Set([...(liveOrderId ? [liveOrderId] : []), ...twice.map(({ orderId }) => orderId)]);
}

/** The unique indexes that allow a caller one open session, and a request one order. */
const indexes = ['payment_sessions_live', 'payment_sessions_by_request'];

/** Another open session would begin the same subscription of the same email. */
class SubscriptionInProgress extends Error {
  override readonly name = 'SubscriptionInProgress';
}

/** Whether an order could not be stored because another request of the same caller was first. */
function isConcurrentCheckout(error: unknown): boolean {
  return error instanceof SubscriptionInProgress || indexes.includes(brokenConstraint(error) ?? '');
}
