import { chargeStepOf, minimumChargeOf } from '#src/lib/currency.ts';
import { changedMetadata } from '../api/check-metadata.ts';
import { invalid, noSuch } from '../api/error.ts';
import { usableCoupon } from '../catalogue/coupon.ts';
import { formatMoney, maximumCharge } from '../money.ts';
import type { Account } from '../state/account.ts';
import type { Coupon, Session } from '../state/objects.ts';
import type { SessionParams } from '../state/session-params.ts';
import { cartLines } from './cart.ts';
import { chooseShipping, shippingOption } from './shipping.ts';

const lifeSeconds = 24 * 3600;

/** Open a checkout session for parameters that `checkSession` has accepted. */
export function createSession(account: Account, params: SessionParams): Session {
  const coupon = couponOf(account, params);
  const { lines, subtotal, discount } = cartLines(account, params, coupon);
  const currency = lines[0]?.currency ?? 'usd';
  checkCustomer(account, params, currency);
  checkCurrency(coupon, currency);

  const id = account.mint(account.livemode ? 'cs_live' : 'cs_test', 58);
  const session: Session = {
    id,
    object: 'checkout.session',
    ...sessionDefaults(params),
    amount_subtotal: subtotal,
    amount_total: subtotal - discount,
    cancel_url: params.cancel_url ?? null,
    collected_information: null,
    created: account.now,
    currency,
    customer: params.customer ?? null,
    customer_details: knownDetails(account, params),
    customer_email: params.customer_email ?? null,
    discounts: coupon ? [{ coupon: coupon.id, promotion_code: null }] : [],
    expires_at: params.expires_at ?? account.now + lifeSeconds,
    invoice: null,
    livemode: account.livemode,
    metadata: changedMetadata({}, params.metadata),
    mode: params.mode === 'subscription' ? 'subscription' : 'payment',
    payment_intent: null,
    payment_status: 'unpaid',
    shipping_cost: null,
    shipping_options: (params.shipping_options ?? []).map((option) => shippingOption(account, option)),
    status: 'open',
    subscription: null,
    success_url: params.success_url ?? '',
    total_details: { amount_discount: discount, amount_shipping: 0, amount_tax: 0 },
    url: `${account.host.url}/pay/${id}`,
  };
  chooseShipping(session);
  checkTotal(session);
  if (session.amount_total === 0) session.payment_status = 'no_payment_required';
  account.carts.set(id, { params, lines, coupon });
  account.openSessions.add(session);
  return account.sessions.add(session);
}

function couponOf(account: Account, { discounts = [] }: SessionParams): Coupon | null {
  const [discount] = discounts;
  return discount ? usableCoupon(account, discount.coupon ?? '', 'discounts[0][coupon]') : null;
}

function checkCustomer(account: Account, params: SessionParams, currency: string): void {
  if (params.customer === undefined) return;
  const customer = account.customers.need(params.customer, 'customer');
  if (customer.deleted) throw noSuch('customer', customer.id, 'customer');
  if (params.mode === 'subscription' && customer.currency !== null && customer.currency !== currency) {
    throw invalid(
      'You cannot combine currencies on a single customer. ' +
        `This customer has had a subscription or payment in ${customer.currency}.`,
      'customer',
    );
  }
}

function checkCurrency(coupon: Coupon | null, currency: string): void {
  if (!coupon?.currency || coupon.currency === currency) return;
  throw invalid(`Coupon ${coupon.id} has another currency than the line items.`, 'discounts[0][coupon]');
}

function checkTotal({ amount_total: total, currency }: Session): void {
  const step = chargeStepOf(currency.toUpperCase());
  if (total % step !== 0) throw invalid(`Amounts in ${currency} must be evenly divisible by ${step}.`, 'line_items');
  if (total > maximumCharge)
    throw invalid(`Amount must be no more than ${maximumCharge}.`, 'line_items', 'amount_too_large');
  const minimum = minimumChargeOf(currency.toUpperCase());
  if (total === 0 || total >= minimum) return;
  const least = `${formatMoney(minimum, currency)} ${currency}`;
  throw invalid(
    `The Checkout Session's total amount due must add up to at least ${least}`,
    'line_items',
    'amount_too_small',
  );
}

function knownDetails(account: Account, params: SessionParams): Session['customer_details'] {
  const customer = params.customer === undefined ? undefined : account.customers.get(params.customer);
  const email = customer?.email ?? params.customer_email;
  if (email === undefined || email === null) return null;
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
}

/** The fields of a session beyond `Session`: its parameters, and defaults. */
function sessionDefaults(params: SessionParams): Record<string, unknown> {
  const subscribing = params.mode === 'subscription';
  const taxed = params.automatic_tax?.enabled ?? false;
  return {
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    automatic_tax: {
      enabled: taxed,
      liability: taxed ? { type: 'self' } : null,
      provider: taxed ? 'stripe' : null,
      status: taxed ? 'requires_location_inputs' : null,
    },
    billing_address_collection: params.billing_address_collection ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    consent: null,
    consent_collection: null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer_account: null,
    customer_creation: customerCreation(params),
    integration_identifier: null,
    invoice_creation: subscribing ? null : { enabled: false, invoice_data: noInvoiceData },
    locale: params.locale ?? null,
    managed_payments: null,
    origin_context: null,
    payment_link: null,
    payment_method_collection: subscribing ? (params.payment_method_collection ?? 'always') : null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account'],
    permissions: null,
    phone_number_collection: { enabled: params.phone_number_collection?.enabled ?? false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: params.shipping_address_collection ?? null,
    submit_type: params.submit_type ?? null,
    ui_mode: 'hosted_page',
    wallet_options: null,
  };
}

const noInvoiceData = {
  account_tax_ids: null,
  custom_fields: null,
  description: null,
  footer: null,
  issuer: null,
  metadata: {},
  rendering_options: null,
};

function customerCreation(params: SessionParams): 'always' | 'if_required' | null {
  if (params.customer) return null;
  return params.customer_creation ?? (params.mode === 'subscription' ? 'always' : 'if_required');
}
