import { changedMetadata } from '../api/check-metadata.ts';
import { invalid, missing, oneOf } from '../api/error.ts';
import { list, type Operation, operation } from '../api/operation.ts';
import { isCurrency } from '../money.ts';
import type { Coupon, MetadataChange } from '../state/objects.ts';

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
  operation('DELETE /v1/coupons/{id}', ({ account, id }) => {
    const coupon = account.coupons.need(id);
    account.coupons.remove(id);
    account.record('coupon.deleted', coupon);
    return { id, object: 'coupon', deleted: true };
  }),
  list('GET /v1/coupons', (account) => account.coupons),
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
