import { repairSession } from '#jobs/checkout.ts';
import { transact } from '#src/database/transact.ts';
import { awaitAll } from '#src/lib/await-all.ts';
import { fromNow } from '#src/lib/clock.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { checkoutSubjectOf } from '../checkout-subject.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { createOrder, type Gift, orderNumberOf, readOrder, takeHolds } from '../orders/index.ts';
import {
  deadlineAt,
  findPaymentCustomer,
  insertSession,
  isBeingSubscribed,
  type PaymentSession,
  providerUnavailable,
  readSession,
  type SellingTerms,
  type Subscribing,
  sellingTerms,
} from '../payments/index.ts';
import { takeOrderNumber } from '../tenants/index.ts';
import type { CheckoutInput } from './checkout-input.ts';
import { unlinkCustomer } from './forget-customer.ts';
import { isConcurrentCheckout, SubscriptionInProgress } from './is-taken-by-another.ts';
import { CustomerGone, openSession } from './open-session.ts';
import { type OrderPlan, planOrder } from './plan-order.ts';
import { type BegunOrder, type CheckoutSessionView, presentCheckoutSession } from './present.ts';
import { type CheckoutQuote, type KnownBuyer, quoteCheckout } from './quote-checkout.ts';
import { conflictingSessions, subscribingOf } from './subscribing.ts';
import { abandonedAfterMs, supersedeSession } from './supersede-session.ts';

/** How often a request is judged anew because something of the caller's own got in between. */
const attemptsMax = 6;

/**
 * Make a pending order and open a hosted payment session for it (protocols.md §3).
 *
 * Everything is judged before anything is written; the order, its holds and the frozen request for its session are
 * written before the provider is asked. Whatever then happens to this process, the job that is enqueued with the order
 * ends a session that the shopper was never sent to.
 *
 * @param requestKey stands for this very request at every try of it: what an earlier try began is gone on with
 * @throws DomainError as api.md lists for POST /checkout/sessions
 */
export async function createCheckoutSession(
  ctx: Context,
  input: CheckoutInput,
  { requestKey }: { requestKey?: string | null | undefined } = {},
): Promise<CheckoutSessionView> {
  return checkOut(ctx, { input, requestKey, quote: (known) => quoteCheckout(ctx, input, known) });
}

/** What is bought, how it is reckoned, and for which request. */
export interface Purchase {
  readonly input: Omit<CheckoutInput, 'items'>;
  readonly gift?: Gift;
  readonly requestKey: string | null | undefined;
  quote(known: KnownBuyer): Promise<CheckoutQuote>;
}

/** Make an order and open a session for it, whatever is bought. See `createCheckoutSession`. */
export async function checkOut(ctx: Context, purchase: Purchase): Promise<CheckoutSessionView> {
  const { input, requestKey = null } = purchase;
  const email = input.customer_email ? normaliseEmail(input.customer_email) : null;
  const enteredEmail = input.customer_email?.trim() ?? '';
  const caller: Caller = {
    email,
    enteredEmail,
    requestKey,
    subject: checkoutSubjectOf({ cartId: input.cart_id, email }),
    endsAt: deadlineAt(),
  };
  let goneCustomerId: string | null = null;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const terms = await sellingTerms(ctx, caller);
    const begun =
      (await continueOrder(ctx, terms)) ?? (await beginOrder(ctx, purchase, { caller, terms, goneCustomerId }));
    if (!begun) continue;
    try {
      return presentCheckoutSession(begun, await openSession(ctx, terms.account, begun.session, begun));
    } catch (error) {
      if (!(error instanceof CustomerGone)) throw error;
      goneCustomerId = error.customerId;
      if (email) await unlinkCustomer(ctx, email, goneCustomerId);
    }
  }
  throw providerUnavailable();
}

/** Who asks: whose session it is (`subject`), of which there is one at a time, and for which request. */
interface Caller {
  readonly email: string | null;
  /** The same as they wrote it. */
  readonly enteredEmail: string;
  readonly subject: string | null;
  readonly requestKey: string | null;
  /** When they have waited long enough. */
  readonly endsAt: number;
}

/** What an earlier try of this request began, unless that is over. */
async function continueOrder(ctx: Context, { earlierOrderId }: SellingTerms): Promise<BegunOrder | undefined> {
  const session = earlierOrderId ? await readSession(ctx, earlierOrderId) : undefined;
  if (!session) return undefined;
  const order = await readOrder(ctx, session.orderId);
  return (
    order && {
      isNew: false,
      session,
      orderNumber: order.order_number,
      currency: order.currency,
      totalCents: order.total_cents,
    }
  );
}

/** The order and its unanswered session; `undefined` when the caller's own doings have to be looked at again. */
async function beginOrder(
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

/** The provider's customer of a subscriber; nobody's of one who did not say who they are. */
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

/** Order, holds, session and both promises: all of them, or none. Locks go from the order to its subjects. */
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
        expiresAt,
      }),
      takeHolds(ctx, order.holds, order.email),
    );
    const dueAt = fromNow(ctx.clock, abandonedAfterMs({ requestKey }));
    enqueue(ctx, repairSession, { orderId: order.id, attempt: 1 }, { dueAt });
    return session;
  });
}
