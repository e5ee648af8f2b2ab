import type { Account } from '../account.ts';
import { attemptPayment, type Outcome } from '../billing/move-money.ts';
import { startSubscription } from '../billing/start-subscription.ts';
import { checkUsable, redeem } from '../objects/coupon.ts';
import type { Customer } from '../objects/customer.ts';
import { createPaymentIntent, intentShipping, type PaymentIntent } from '../objects/payment-intent.ts';
import type { Cart, Session } from '../objects/session.ts';
import type { StripeEvent } from '../objects/webhook-endpoint.ts';
import { changedMetadata } from '../wire/check-metadata.ts';
import { invalid } from '../wire/refusal.ts';
import { expireIfDue } from './end-session.ts';
import { sessionCustomer } from './session-customer.ts';
import { chooseShipping } from './shipping.ts';
import { type Details, type ShopperInput, shopperDetails } from './shopper-details.ts';

export interface PaymentInput extends ShopperInput {
  readonly outcome: Outcome;
  /** Which of the session's shipping options; the first unless told. */
  readonly shipping_option?: number;
}

interface Payment {
  readonly session: Session;
  readonly cart: Cart;
  readonly details: Details;
  readonly customer: Customer | null;
  readonly outcome: Outcome;
}

/**
 * The shopper presses "Pay". A declined card leaves the session open; anything else completes it,
 * and the answer is the event that says so.
 */
export function paySession(account: Account, session: Session, input: PaymentInput): StripeEvent | null {
  const cart = openCart(account, session);
  // Two open sessions may carry the same coupon: the first to be paid redeems it.
  if (cart.reduction) checkUsable(account, cart.reduction.coupon, 'discounts');
  const details = shopperDetails(account, session, cart, input);
  chooseShipping(session, input.shipping_option);
  const outcome = session.amount_total === 0 ? 'paid' : input.outcome;
  if (outcome === 'declined') {
    const known = account.customers.get(session.customer ?? '') ?? null;
    payOnce(account, { session, cart, details, customer: known, outcome });
    return null;
  }
  const customer = sessionCustomer(account, session, cart, details);
  const payment = { session, cart, details, customer, outcome };
  if (session.mode === 'subscription') subscribe(account, payment);
  else buy(account, payment);
  return complete(account, payment);
}

/** What the shopper would pay for, if the session can still be paid. */
export function openCart(account: Account, session: Session): Cart {
  expireIfDue(account, session);
  const cart = account.carts.get(session.id);
  if (session.status !== 'open' || !cart) {
    throw invalid(`This Checkout Session is ${session.status} and can no longer be paid.`);
  }
  return cart;
}

/** One-time goods: one payment, unless there is nothing to pay. */
function buy(account: Account, payment: Payment): void {
  const { session, cart } = payment;
  if (session.amount_total > 0) payOnce(account, payment);
  if (!cart.reduction) return;
  const nowhereElse = { invoice: null, subscription: null };
  redeem(account, cart.reduction, { customer: session.customer, session: session.id, ...nowhereElse });
}

function subscribe(account: Account, { session, cart, details, customer, outcome }: Payment): void {
  if (!customer) throw new Error('a subscription session always has a customer');
  const intent = account.paymentIntents.get(session.payment_intent ?? '');
  const options = { session, cart, customer, outcome, intent, billing: details.billing };
  const { subscription, invoice } = startSubscription(account, options);
  Object.assign(session, { subscription: subscription.id, invoice: invoice.id, payment_intent: null });
}

function payOnce(account: Account, payment: Payment): void {
  attemptPayment(account, sessionIntent(account, payment), payment.outcome, payment.details.billing);
}

/** The session's payment intent: one that a declined card left behind, or a new one. */
function sessionIntent(account: Account, { session, cart, details, customer }: Payment): PaymentIntent {
  const amount = session.amount_total;
  const begun = account.paymentIntents.get(session.payment_intent ?? '');
  if (begun) {
    const shipping = intentShipping(details.shipping);
    return Object.assign(begun, { amount, customer: customer?.id ?? null, shipping });
  }
  const data = session.mode === 'payment' ? cart.params.payment_intent_data : undefined;
  const intent = createPaymentIntent(account, {
    amount,
    currency: session.currency,
    customer: customer?.id ?? null,
    metadata: changedMetadata({}, data?.metadata),
    description: data?.description,
    receiptEmail: data?.receipt_email,
    setupFutureUsage: data?.setup_future_usage,
    shipping: details.shipping,
  });
  session.payment_intent = intent.id;
  return intent;
}

function complete(account: Account, { session, details, customer, outcome }: Payment): StripeEvent {
  account.openSessions.delete(session);
  const settled = outcome === 'processing' ? 'unpaid' : 'paid';
  Object.assign(session, {
    collected_information: { business_name: null, individual_name: null, shipping_details: details.shipping },
    customer: customer?.id ?? null,
    customer_details: details.customer,
    payment_status: session.amount_total === 0 ? 'no_payment_required' : settled,
    status: 'complete',
    url: null,
  } satisfies Partial<Session>);
  return account.record('checkout.session.completed', session);
}
