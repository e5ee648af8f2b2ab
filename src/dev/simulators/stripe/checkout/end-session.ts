import { changedMetadata } from '../api/check-metadata.ts';
import { invalid } from '../api/error.ts';
import { intentOf, markInvoiceFailed, markInvoicePaid } from '../billing/collect-invoice.ts';
import { startSubscription } from '../billing/start-subscription.ts';
import { checkUsable, redeem } from '../catalogue/coupon.ts';
import {
  attemptPayment,
  cancelIntent,
  createPaymentIntent,
  intentShipping,
  isUnderWay,
  type Outcome,
  settlePayment,
} from '../payments/payment-intent.ts';
import type { Account, Cart } from '../state/account.ts';
import type { Customer, PaymentIntent, Session, StripeEvent } from '../state/objects.ts';
import { addTax, chooseShipping } from './shipping.ts';
import { type Details, type ShopperInput, sessionCustomer, shopperDetails } from './shopper.ts';

export interface PaymentInput extends ShopperInput {
  readonly outcome: Outcome;
  /** Which of the session's shipping options; the default is the first. */
  readonly shipping_option?: number;
  /** The tax that is added to the total of one-time goods; the default is none. */
  readonly tax?: number;
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
 * and returns the event.
 */
export function paySession(account: Account, session: Session, input: PaymentInput): StripeEvent | null {
  const cart = openCart(account, session);
  // Two open sessions may carry the same coupon: the first to be paid redeems it.
  if (cart.coupon) checkUsable(account, cart.coupon, 'discounts');
  const details = shopperDetails(account, session, cart, input);
  chooseShipping(session, input.shipping_option);
  addTax(session, input.tax);
  const outcome = session.amount_total === 0 ? 'paid' : input.outcome;
  if (outcome === 'voucher' && session.mode === 'subscription') throw invalid('A subscription is not paid by voucher.');
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

/** The cart of a session that can still be paid. */
export function openCart(account: Account, session: Session): Cart {
  expireIfDue(account, session);
  const cart = account.carts.get(session.id);
  if (session.status !== 'open' || !cart) {
    throw invalid(`This Checkout Session is ${session.status} and can no longer be paid.`);
  }
  return cart;
}

/** One-time goods: one payment, unless the total is zero. */
function buy(account: Account, payment: Payment): void {
  const { session, cart } = payment;
  if (session.amount_total > 0) payOnce(account, payment);
  if (!cart.coupon) return;
  const noInvoice = { invoice: null, subscription: null };
  redeem(account, cart.coupon, { customer: session.customer, session: session.id, ...noInvoice });
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
  const settled = outcome === 'paid' ? 'paid' : 'unpaid';
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

/** Settle a slow payment, days after the session was completed. */
export function settleSession(account: Account, session: Session, succeeded: boolean): void {
  const invoice = account.invoices.get(session.invoice ?? '');
  const intent = invoice ? intentOf(account, invoice) : account.paymentIntents.get(session.payment_intent ?? '');
  if (session.status !== 'complete' || !intent || !isUnderWay(intent)) {
    throw invalid('Only a completed session with a payment that is under way can be settled.');
  }
  settlePayment(account, intent, succeeded);
  if (succeeded) {
    if (invoice) markInvoicePaid(account, invoice);
    account.change(session, { payment_status: 'paid' }, 'checkout.session.async_payment_succeeded');
    return;
  }
  if (invoice) markInvoiceFailed(account, invoice);
  const subscription = account.subscriptions.get(session.subscription ?? '');
  if (subscription) account.change(subscription, { status: 'past_due' }, 'customer.subscription.updated');
  account.record('checkout.session.async_payment_failed', session);
}

/** Close an open session for good. */
export function expireSession(account: Account, session: Session): Session {
  account.openSessions.delete(session);
  const intent = session.payment_intent === null ? undefined : account.paymentIntents.get(session.payment_intent);
  if (intent) cancelIntent(account, intent);
  return account.change(session, { status: 'expired', url: null }, 'checkout.session.expired');
}

/** Expire every open session whose time is over. */
export function expireDueSessions(account: Account): void {
  for (const session of account.openSessions) expireIfDue(account, session);
}

/** The session as of now. */
export function expireIfDue(account: Account, session: Session): Session {
  const due = session.status === 'open' && session.expires_at <= account.now;
  return due ? expireSession(account, session) : session;
}
