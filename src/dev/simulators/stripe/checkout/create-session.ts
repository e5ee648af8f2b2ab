import { chargeStepOf, minimumChargeOf } from '#src/lib/currency.ts';
import type { Account } from '../account.ts';
import { formatMoney } from '../money.ts';
import { type Reduction, usableCoupon, usablePromotionCode } from '../objects/coupon.ts';
import type { Session } from '../objects/session.ts';
import { sessionDefaults } from '../objects/session-furniture.ts';
import type { SessionParams } from '../objects/session-params.ts';
import { changedMetadata } from '../wire/check-metadata.ts';
import { invalid, noSuch } from '../wire/refusal.ts';
import { cartLines } from './cart-lines.ts';
import { chooseShipping, shippingOption } from './shipping.ts';

const lifeSeconds = 24 * 3600;

/** Open a checkout session for parameters that `checkSession` has let through. */
export function createSession(account: Account, params: SessionParams): Session {
  const reduction = findReduction(account, params);
  const { lines, subtotal, discount } = cartLines(account, params, reduction);
  const currency = lines[0]?.currency ?? 'usd';
  checkCustomer(account, params, currency);
  checkCurrency(reduction, currency);

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
    discounts: reduction ? [discountOf(reduction)] : [],
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
    url: `${account.world.url}/pay/${id}`,
  };
  chooseShipping(session);
  checkMinimum(session);
  if (session.amount_total === 0) session.payment_status = 'no_payment_required';
  account.carts.set(id, { params, lines, reduction });
  account.openSessions.add(session);
  return account.sessions.add(session);
}

function findReduction(account: Account, { discounts = [] }: SessionParams): Reduction | null {
  const [discount] = discounts;
  if (discount?.promotion_code) {
    return usablePromotionCode(account, discount.promotion_code, 'discounts[0][promotion_code]');
  }
  if (!discount?.coupon) return null;
  return { coupon: usableCoupon(account, discount.coupon, 'discounts[0][coupon]'), promotionCode: null };
}

function discountOf({ coupon, promotionCode }: Reduction): object {
  return promotionCode
    ? { coupon: null, promotion_code: promotionCode.id }
    : { coupon: coupon.id, promotion_code: null };
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

function checkCurrency(reduction: Reduction | null, currency: string): void {
  if (!reduction?.coupon.currency || reduction.coupon.currency === currency) return;
  const { id } = reduction.coupon;
  throw invalid(`Coupon ${id} has another currency than the line items.`, 'discounts[0][coupon]');
}

function checkMinimum({ amount_total: total, currency }: Session): void {
  const step = chargeStepOf(currency.toUpperCase());
  if (total % step !== 0) throw invalid(`Amounts in ${currency} must be evenly divisible by ${step}.`, 'line_items');
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
