import { changedMetadata } from '../api/check-metadata.ts';
import { invalid, missing, noSuch, oneOf } from '../api/error.ts';
import { list, type Operation, operation, retrieve } from '../api/operation.ts';
import { isCurrency } from '../money.ts';
import type { Coupon, MetadataChange, Price, Product, PromotionCode } from '../state/objects.ts';

interface CouponParams {
  readonly amount_off?: number;
  readonly percent_off?: number;
  readonly currency?: string;
  readonly duration?: Coupon['duration'];
  readonly duration_in_months?: number;
  readonly max_redemptions?: number;
  readonly redeem_by?: number;
  readonly applies_to?: { readonly products?: string[] };
  readonly id?: string;
  readonly name?: string;
  readonly metadata?: MetadataChange | null;
}

interface PromotionCodeParams {
  readonly promotion: { readonly type: string; readonly coupon?: string };
  readonly active?: boolean;
  readonly code?: string;
  readonly expires_at?: number;
  readonly max_redemptions?: number;
  readonly metadata?: MetadataChange;
}

export const coupons: readonly Operation[] = [
  operation<CouponParams>(
    'POST /v1/coupons',
    ({ account, params }) => {
      if (params.redeem_by !== undefined && params.redeem_by <= account.now) {
        throw invalid('The `redeem_by` timestamp must be in the future.', 'redeem_by');
      }
      if (params.id !== undefined && account.coupons.get(params.id)) {
        throw invalid('Coupon already exists.', 'id', 'resource_already_exists');
      }
      const coupon: Coupon = account.coupons.add({
        id: params.id ?? account.mint('', 8),
        object: 'coupon',
        amount_off: params.amount_off ?? null,
        created: account.now,
        currency: params.amount_off === undefined ? null : (params.currency?.toLowerCase() ?? null),
        duration: params.duration ?? 'once',
        duration_in_months: params.duration_in_months ?? null,
        livemode: account.livemode,
        max_redemptions: params.max_redemptions ?? null,
        metadata: changedMetadata({}, params.metadata),
        name: params.name ?? null,
        percent_off: params.percent_off ?? null,
        redeem_by: params.redeem_by ?? null,
        times_redeemed: 0,
        valid: true,
      });
      if (params.applies_to?.products) account.couponProducts.set(coupon, params.applies_to.products);
      account.record('coupon.created', coupon);
      return coupon;
    },
    ({ params }) => checkCoupon(params),
  ),
  retrieve('GET /v1/coupons/{id}', (account) => account.coupons),
  operation<{ name?: string; metadata?: MetadataChange | null }>('POST /v1/coupons/{id}', ({ account, id, params }) => {
    const coupon = account.coupons.need(id);
    const metadata = changedMetadata(coupon.metadata, params.metadata);
    return account.change(coupon, { metadata, name: params.name ?? coupon.name }, 'coupon.updated');
  }),
  operation('DELETE /v1/coupons/{id}', ({ account, id }) => {
    const coupon = account.coupons.need(id);
    account.coupons.remove(id);
    account.record('coupon.deleted', coupon);
    return { id, object: 'coupon', deleted: true };
  }),
  list('GET /v1/coupons', (account) => account.coupons),

  operation<PromotionCodeParams>('POST /v1/promotion_codes', ({ account, params }) => {
    const { promotion, code = account.mint('', 8).toUpperCase() } = params;
    if (promotion.coupon === undefined) throw missing('promotion[coupon]');
    const coupon = account.coupons.get(promotion.coupon);
    if (!coupon) throw noSuch('coupon', promotion.coupon, 'promotion[coupon]');
    const taken = account.promotionCodes
      .all()
      .some((other) => other.active && other.code.toLowerCase() === code.toLowerCase());
    if (taken)
      throw invalid('An active promotion code with this `code` already exists.', 'code', 'resource_already_exists');
    const promotionCode: PromotionCode = account.promotionCodes.add({
      id: account.mint('promo'),
      object: 'promotion_code',
      active: params.active ?? true,
      code,
      created: account.now,
      customer: null,
      customer_account: null,
      expires_at: params.expires_at ?? null,
      livemode: account.livemode,
      max_redemptions: params.max_redemptions ?? null,
      metadata: changedMetadata({}, params.metadata),
      promotion: { coupon: coupon.id, type: 'coupon' },
      restrictions: { first_time_transaction: false, minimum_amount: null, minimum_amount_currency: null },
      times_redeemed: 0,
    });
    account.record('promotion_code.created', promotionCode);
    return promotionCode;
  }),
  retrieve('GET /v1/promotion_codes/{id}', (account) => account.promotionCodes),
  operation<{ active?: boolean; metadata?: MetadataChange | null }>(
    'POST /v1/promotion_codes/{id}',
    ({ account, id, params }) => {
      const promotionCode = account.promotionCodes.need(id);
      const metadata = changedMetadata(promotionCode.metadata, params.metadata);
      const active = params.active ?? promotionCode.active;
      return account.change(promotionCode, { active, metadata }, 'promotion_code.updated');
    },
  ),
  list<PromotionCode>('GET /v1/promotion_codes', (account) => account.promotionCodes, {
    coupon: ({ promotion }, wanted) => promotion.coupon === wanted,
    code: ({ code }, wanted) => code.toLowerCase() === String(wanted).toLowerCase(),
  }),
];

function checkCoupon(params: CouponParams): void {
  const { amount_off: amount, percent_off: percent, duration, duration_in_months: months, id, currency } = params;
  if ((amount === undefined) === (percent === undefined)) throw oneOf(['percent_off', 'amount_off']);
  if (amount !== undefined && amount < 1) {
    throw invalid('This value must be greater than or equal to 1.', 'amount_off', 'parameter_invalid_integer');
  }
  if (percent !== undefined && (percent <= 0 || percent > 100)) {
    throw invalid('percent_off must be greater than 0 and at most 100.', 'percent_off');
  }
  if (amount !== undefined && currency === undefined) throw missing('currency');
  if (currency !== undefined && !isCurrency(currency.toLowerCase())) {
    throw invalid(`Invalid currency: ${currency}`, 'currency');
  }
  if ((duration === 'repeating') !== (months !== undefined)) {
    throw invalid('`duration_in_months` is needed with, and only with, `duration: repeating`.', 'duration_in_months');
  }
  if (params.max_redemptions !== undefined && params.max_redemptions < 1) {
    throw invalid('This value must be greater than or equal to 1.', 'max_redemptions', 'parameter_invalid_integer');
  }
  if (id !== undefined && !/^[\w-]+$/.test(id)) {
    throw invalid('The coupon id may only contain letters, numbers, dashes and underscores.', 'id');
  }
}

export const catalogue: readonly Operation[] = [
  retrieve('GET /v1/products/{id}', (account) => account.products),
  list<Product>('GET /v1/products', (account) => account.products, {
    ids: ({ id }, wanted) => Object(wanted).includes(id),
  }),
  retrieve('GET /v1/prices/{id}', (account) => account.prices),
  list<Price>('GET /v1/prices', (account) => account.prices, {
    lookup_keys: () => false,
    recurring: ({ recurring }, wanted) => recurring?.interval === Object(wanted).interval,
  }),
];
