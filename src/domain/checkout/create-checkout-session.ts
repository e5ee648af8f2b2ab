import { transact } from '#src/database/transact.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { Cents, Currency, Id, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import type { Context } from '../context.ts';
import { checkoutSubjectOf, findCustomerByEmail, unlinkPaymentCustomer } from '../customers/index.ts';
import { orderStatuses, readOrder } from '../orders/index.ts';
import {
  deadlineAt,
  endSession,
  markOpened,
  type PaymentSession,
  paymentErrorOf,
  providerUnavailable,
  readSession,
  type SellingTerms,
  sellingTerms,
} from '../payments/index.ts';
import { notSent, type PaymentAccount, storedFailure } from '../ports/payment-gateway.ts';
import { type BegunOrder, beginOrder, type Caller, type Purchase } from './begin-order.ts';
import type { CheckoutInput } from './checkout-input.ts';
import { quoteCheckout } from './quote-checkout.ts';
import { abandonSession } from './supersede-session.ts';

/** The response of POST /checkout/sessions, with the fields of both shapes that the specification shows. */
export const CheckoutSessionView = Type.Object(
  {
    checkout_url: Type.String({ examples: ['https://checkout.stripe.com/c/pay/cs_test_a1'] }),
    expires_at: Timestamp,
    order: Type.Object({
      id: Id('ord'),
      order_number: Type.String({ examples: ['ORD-1001'] }),
      status: Type.Enum([...orderStatuses]),
      currency: Currency,
      total_cents: Cents,
    }),
    order_id: Id('ord'),
    order_number: Type.String({ examples: ['ORD-1001'] }),
  },
  { title: 'CheckoutSession' },
);
export type CheckoutSessionView = Static<typeof CheckoutSessionView>;

/** How often a request is started again because another request of the same caller interfered. */
const attemptsMax = 6;

/**
 * Create a pending order and open a hosted payment session for it.
 *
 * Everything is validated before anything is written; the order, its holds and the request for its session are stored
 * before the provider is called. If this process dies, a repair ends a session whose URL was never returned.
 *
 * @param options `requestKey`: the same at every attempt of one API request; an attempt continues an earlier one's
 *   order
 * @throws DomainError with the codes that the route of POST /checkout/sessions declares
 */
export async function createCheckoutSession(
  ctx: Context,
  input: CheckoutInput,
  { requestKey }: { requestKey?: string | null | undefined } = {},
): Promise<CheckoutSessionView> {
  return checkOut(ctx, { input, requestKey, quote: (known) => quoteCheckout(ctx, input, known) });
}

/** Create an order and open a session for it, for a cart or a gift. See `createCheckoutSession`. */
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
  let isStartedAgain = false;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const terms = await sellingTerms(ctx, caller);
    const begun =
      (await continueOrder(ctx, terms)) ?? (await beginOrder(ctx, purchase, { caller, terms, goneCustomerId }));
    if (!begun) continue;
    try {
      return presentCheckoutSession(begun, await openSession(ctx, terms.account, begun.session, begun));
    } catch (error) {
      if (error instanceof StoredFailure) {
        if (isStartedAgain) throw paymentErrorOf(error.cause);
        isStartedAgain = true;
      } else if (error instanceof CustomerGone) {
        goneCustomerId = error.customerId;
        if (email) await unlinkCustomer(ctx, email, goneCustomerId);
      } else throw error;
    }
  }
  throw providerUnavailable();
}

/**
 * Create the stored session at the provider, outside any transaction, and record the result. A repeated request and the
 * repair make the same call with the same key.
 *
 * If it is certain that no session was created, or can be with this key, the order is closed and its holds are released;
 * otherwise the repair finds out.
 *
 * @param options `isNew`: this is the first attempt to create it
 * @returns the URL of the payment page
 * @throws DomainError, CustomerGone, or StoredFailure
 */
async function openSession(
  ctx: Context,
  account: PaymentAccount,
  session: PaymentSession,
  { isNew }: { isNew: boolean },
): Promise<string> {
  if (session.state === 'open' && session.url) return session.url;
  try {
    const created = await ctx.ports.payments.createSession(
      account,
      session.request,
      session.idempotencyKey,
      ctx.signal,
    );
    const url = await markOpened(ctx, session, created);
    // The shopper requested another session meanwhile, and must not get two that can be paid.
    if (url === undefined) throw providerUnavailable();
    return url;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === storedFailure) {
      // The shopper requested another session meanwhile, which a further order of this request would close.
      if ((await readSession(ctx, session.orderId))?.supersededAt) throw paymentErrorOf(error);
      await abandonSession(ctx, session.orderId);
      throw new StoredFailure(error);
    }
    if (isNew ? provesNotCreated(error) : provesNeverCreated(error))
      await transact(ctx, (ctx) => endSession(ctx, session, 'canceled'));
    const { customerId } = session.request;
    if (customerId && error.failure === 'missing') throw new CustomerGone(customerId);
    throw paymentErrorOf(error);
  }
}

/** Whether a failure of the only attempt proves that no session was created: all do but a missing response. */
export const provesNotCreated = ({ failure, code }: ProviderError): boolean => failure !== 'away' || code === notSent;

/** Whether a failure proves it for earlier attempts, too: the provider returns the result of the first one again. */
export const provesNeverCreated = ({ failure }: ProviderError): boolean =>
  failure === 'refused' || failure === 'missing';

/** The order that an earlier attempt of this request began, unless that is over. */
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

/** Unlink a customer that was deleted at the provider, or belongs to an account that was replaced. */
async function unlinkCustomer(ctx: Context, email: string, paymentCustomerId: string): Promise<void> {
  const known = await findCustomerByEmail(ctx, email);
  if (known) await transact(ctx, (ctx) => unlinkPaymentCustomer(ctx, { customerId: known.id, paymentCustomerId }));
}

function presentCheckoutSession(begun: BegunOrder, url: string): CheckoutSessionView {
  const { session, orderNumber, currency, totalCents } = begun;
  const { orderId } = session;
  return {
    checkout_url: url,
    expires_at: session.expiresAt.toISOString(),
    order: { id: orderId, order_number: orderNumber, status: 'pending', currency, total_cents: totalCents },
    order_id: orderId,
    order_number: orderNumber,
  };
}

/** The provider returns a stored error for the session's key. The checkout can be started again with another order. */
class StoredFailure extends Error {
  override readonly name = 'StoredFailure';
  declare readonly cause: ProviderError;

  constructor(cause: ProviderError) {
    super('The provider stored its failure.', { cause });
  }
}

/** The provider no longer has the session's customer: the checkout can be started again with another one. */
class CustomerGone extends Error {
  override readonly name = 'CustomerGone';
  readonly customerId: string;

  constructor(customerId: string) {
    super('The provider has no such customer.');
    this.customerId = customerId;
  }
}
