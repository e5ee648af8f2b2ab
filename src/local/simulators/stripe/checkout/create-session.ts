import type { Account } from '../account.ts';
import { createInlinePrice, type Price } from '../objects/catalogue.ts';
import { type Reduction, usableCoupon, usablePromotionCode } from '../objects/coupon.ts';
import {
  type LineItem,
  type LineItemParams,
  type Session,
  sessionSkeleton,
  type SessionParams,
  type ShippingOptionParams,
} from '../objects/session.ts';
import { changedMetadata } from '../wire/check-metadata.ts';
import { formatMoney, minimumCharge } from '../money.ts';
import { invalid, missing, noSuch } from '../wire/refusal.ts';
import { type Reckoned, reckon } from './reckon.ts';

const lifeSeconds = 24 * 3600;

/** Open a checkout session: products and prices of inline data are made, and it is priced. */
export function createSession(account: Account, params: SessionParams): Session {
  const reduction = findReduction(account, params);
  const prices = (params.line_items ?? []).map((line) => priceOf(account, line));
  const currency = prices[0]?.currency ?? 'usd';
  checkCustomer(account, params, currency);
  if (reduction?.coupon.currency && reduction.coupon.currency !== currency) {
    throw invalid(`Coupon ${reduction.coupon.id} has another currency than the line items.`, 'discounts[0][coupon]');
  }
  const quantities = (params.line_items ?? []).map(({ quantity = 1 }) => quantity);
  const reckoned = reckon(
    prices.map((price, index) => ({ price, quantity: quantities[index] ?? 1 })),
    reduction,
    startsWithTrial(params),
  );
  const shippingOptions = (params.shipping_options ?? []).map((option) => shippingOption(account, option));
  const [shipping] = shippingOptions;
  const total = reckoned.subtotal - reckoned.discount + (shipping?.shipping_amount ?? 0);
  checkMinimum(total, currency);

  const session: Session = account.sessions.add({
    ...sessionSkeleton(account, params),
    amount_subtotal: reckoned.subtotal,
    amount_total: total,
    cancel_url: params.cancel_url ?? null,
    collected_information: null,
    currency,
    customer: params.customer ?? null,
    customer_details: knownDetails(account, params),
    customer_email: params.customer_email ?? null,
    discounts: reduction
      ? [{ coupon: reduction.promotionCode ? null : reduction.coupon.id, promotion_code: reduction.promotionCode?.id ?? null }]
      : [],
    expires_at: params.expires_at ?? account.now + lifeSeconds,
    invoice: null,
    metadata: changedMetadata({}, params.metadata),
    mode: params.mode === 'subscription' ? 'subscription' : 'payment',
    payment_intent: null,
    payment_status: total === 0 ? 'no_payment_required' : 'unpaid',
    shipping_cost: shipping ? shippingCost(shipping) : null,
    shipping_options: shippingOptions,
    status: 'open',
    subscription: null,
    success_url: params.success_url ?? '',
    total_details: {
      amount_discount: reckoned.discount,
      amount_shipping: shipping?.shipping_amount ?? 0,
      amount_tax: 0,
    },
    url: '',
  });
  session.url = `${account.world.url}/pay/${session.id}`;
  const lines = lineItems(account, params.line_items ?? [], prices, reckoned);
  account.carts.set(session.id, { params, lines, reduction });
  account.openSessions.add(session);
  return session;
}

export function shippingCost(option: { shipping_amount: number; shipping_rate: string }): NonNullable<Session['shipping_cost']> {
  const { shipping_amount: amount, shipping_rate: rate } = option;
  return { amount_subtotal: amount, amount_tax: 0, amount_total: amount, shipping_rate: rate };
}

export function startsWithTrial({ subscription_data: data }: SessionParams): boolean {
  return data?.trial_end !== undefined || data?.trial_period_days !== undefined;
}

function findReduction(account: Account, { discounts = [] }: SessionParams): Reduction | null {
  const [discount] = discounts;
  if (discount?.promotion_code) {
    return usablePromotionCode(account, discount.promotion_code, 'discounts[0][promotion_code]');
  }
  if (!discount?.coupon) return null;
  return { coupon: usableCoupon(account, discount.coupon, 'discounts[0][coupon]'), promotionCode: null };
}

function priceOf(account: Account, { price, price_data: data }: LineItemParams): Price {
  if (price !== undefined) return account.prices.need(price, 'line_items[0][price]');
  if (!data) throw missing('line_items[0][price_data]');
  return createInlinePrice(account, data);
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

function checkMinimum(total: number, currency: string): void {
  const minimum = minimumCharge(currency);
  if (total === 0 || total >= minimum) return;
  throw invalid(
    `The Checkout Session's total amount due must add up to at least ${formatMoney(minimum, currency)} ${currency}`,
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

function shippingOption(account: Account, option: ShippingOptionParams): Session['shipping_options'][number] {
  const { shipping_rate: id, shipping_rate_data: data } = option;
  if (id !== undefined) {
    return { shipping_amount: account.shippingRates.need(id).fixed_amount.amount, shipping_rate: id };
  }
  const amount = data?.fixed_amount?.amount ?? 0;
  const rate = account.shippingRates.add({
    id: account.mint('shr'),
    object: 'shipping_rate',
    active: false,
    created: account.now,
    delivery_estimate: data?.delivery_estimate ? { maximum: null, minimum: null, ...data.delivery_estimate } : null,
    display_name: data?.display_name ?? '',
    fixed_amount: { amount, currency: data?.fixed_amount?.currency.toLowerCase() ?? 'usd' },
    livemode: account.livemode,
    metadata: changedMetadata({}, data?.metadata),
    tax_behavior: data?.tax_behavior ?? 'unspecified',
    tax_code: data?.tax_code ?? null,
    type: 'fixed_amount',
  });
  return { shipping_amount: amount, shipping_rate: rate.id };
}

function lineItems(
  account: Account,
  params: readonly LineItemParams[],
  prices: readonly Price[],
  reckoned: Reckoned,
): LineItem[] {
  return prices.map((price, index) => {
    const { subtotal, discount } = reckoned.lines[index] ?? { subtotal: 0, discount: 0 };
    return {
      id: account.mint('li', 14),
      object: 'item',
      adjustable_quantity: params[index]?.adjustable_quantity
        ? { enabled: false, maximum: null, minimum: null, ...params[index].adjustable_quantity }
        : null,
      amount_discount: discount,
      amount_subtotal: subtotal,
      amount_tax: 0,
      amount_total: subtotal - discount,
      currency: price.currency,
      description: account.products.get(price.product)?.name ?? '',
      metadata: changedMetadata({}, params[index]?.metadata),
      price,
      quantity: params[index]?.quantity ?? 1,
    };
  });
}
