import type { Account } from '../account.ts';
import { attemptPayment, type Outcome, settlePayment } from '../billing/move-money.ts';
import { intentOf, markInvoiceFailed, markInvoicePaid } from '../billing/collect-invoice.ts';
import { startSubscription } from '../billing/start-subscription.ts';
import { checkUsable, redeem } from '../objects/coupon.ts';
import { createCustomer, type Customer, updateCustomer } from '../objects/customer.ts';
import { createPaymentIntent, type PaymentIntent } from '../objects/payment-intent.ts';
import type { Cart, Session } from '../objects/session.ts';
import type { StripeEvent } from '../objects/webhook-endpoint.ts';
import { changedMetadata } from '../wire/check-metadata.ts';
import { invalid } from '../wire/refusal.ts';
import { type Details, type ShopperInput, shopperDetails } from './shopper-details.ts';
import { expireIfDue } from './end-session.ts';
import { chooseShipping } from './shipping.ts';

export interface PaymentInput extends ShopperInput {
  readonly outcome: Outcome;
  /** Which of the session's shipping options; the first unless told. */
  readonly shipping_option?: number;
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
  const billing = { ...details.billing };
  if (outcome === 'declined') {
    attemptPayment(
      account,
      sessionIntent(account, session, cart, details, session.customer),
      'declined',
      billing,
    );
    return null;
  }
  const customer = sessionCustomer(account, session, cart, details);
  if (session.mode === 'subscription' && customer) {
    const { subscription, invoice } = startSubscription(account, {
      session,
      cart,
      customer,
      outcome,
      intent: begunIntent(account, session),
      billing,
    });
    Object.assign(session, { subscription: subscription.id, invoice: invoice.id, payment_intent: null });
  } else {
    const intent =
      session.amount_total > 0 && sessionIntent(account, session, cart, details, customer?.id ?? null);
    if (intent) attemptPayment(account, intent, outcome, billing);
    if (cart.reduction) {
      redeem(account, cart.reduction, {
        customer: session.customer,
        session: session.id,
        invoice: null,
        subscription: null,
      });
    }
  }
  return complete(account, session, customer, details, outcome);
}

/** The bank's word on a slow debit, days after the session was completed. */
export function settleSession(account: Account, session: Session, succeeded: boolean): void {
  const invoice = session.invoice === null ? undefined : account.invoices.get(session.invoice);
  const intent = invoice
    ? intentOf(account, invoice)
    : account.paymentIntents.get(session.payment_intent ?? '');
  if (session.status !== 'complete' || intent?.status !== 'processing') {
    throw invalid('Only a completed session with a payment in processing can be settled.');
  }
  settlePayment(account, intent, succeeded);
  if (invoice) (succeeded ? markInvoicePaid : markInvoiceFailed)(account, invoice);
  const subscription =
    session.subscription === null ? undefined : account.subscriptions.get(session.subscription);
  if (subscription && !succeeded)
    account.change(subscription, { status: 'past_due' }, 'customer.subscription.updated');
  if (succeeded)
    account.change(session, { payment_status: 'paid' }, 'checkout.session.async_payment_succeeded');
  else account.record('checkout.session.async_payment_failed', session);
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

function complete(
  account: Account,
  session: Session,
  customer: Customer | null,
  details: Details,
  outcome: Outcome,
): StripeEvent {
  account.openSessions.delete(session);
  const unpaid = outcome === 'processing' ? 'unpaid' : 'paid';
  Object.assign(session, {
    collected_information: { business_name: null, individual_name: null, shipping_details: details.shipping },
    customer: customer?.id ?? null,
    customer_details: details.customer,
    payment_status: session.amount_total === 0 ? 'no_payment_required' : unpaid,
    status: 'complete',
    url: null,
  } satisfies Partial<Session>);
  return account.record('checkout.session.completed', session);
}

function sessionCustomer(account: Account, session: Session, cart: Cart, details: Details): Customer | null {
  const { billing, shipping } = details;
  const { customer_update: update, customer: id } = cart.params;
  if (id !== undefined) {
    const customer = account.customers.need(id);
    const changes = {
      ...(update?.shipping === 'auto' && shipping && { shipping: addressed(shipping) }),
      ...(update?.name === 'auto' && billing.name && { name: billing.name }),
      ...(update?.address === 'auto' && billing.address && { address: given(billing.address) }),
    };
    return Object.keys(changes).length > 0 ? updateCustomer(account, customer, changes) : customer;
  }
  if (session.mode === 'payment' && cart.params.customer_creation !== 'always') return null;
  return createCustomer(account, {
    ...(details.customer.email && { email: details.customer.email }),
    ...(billing.name && { name: billing.name }),
    ...(billing.phone && { phone: billing.phone }),
    ...(billing.address && { address: given(billing.address) }),
    ...(shipping && { shipping: addressed(shipping) }),
  });
}

function begunIntent(account: Account, session: Session): PaymentIntent | undefined {
  return session.payment_intent === null ? undefined : account.paymentIntents.get(session.payment_intent);
}

function sessionIntent(
  account: Account,
  session: Session,
  { params }: Cart,
  { shipping }: Details,
  customer: string | null,
): PaymentIntent {
  const begun = begunIntent(account, session);
  if (begun) return Object.assign(begun, { amount: session.amount_total, customer, shipping });
  const data = session.mode === 'payment' ? params.payment_intent_data : undefined;
  const intent = createPaymentIntent(account, {
    amount: session.amount_total,
    currency: session.currency,
    customer,
    metadata: changedMetadata({}, data?.metadata),
    description: data?.description,
    receiptEmail: data?.receipt_email,
    setupFutureUsage: data?.setup_future_usage,
    shipping,
  });
  session.payment_intent = intent.id;
  return intent;
}

function addressed({ name, address }: NonNullable<Details['shipping']>): {
  name: string;
  address: Record<string, string>;
} {
  return { name, address: given(address) };
}

function given(address: object): Record<string, string> {
  return Object.fromEntries(Object.entries(address).filter(([, value]) => typeof value === 'string'));
}
