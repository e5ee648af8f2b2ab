import { invalid } from '../api/error.ts';
import type { Account } from '../state/account.ts';
import type { Coupon, Discount } from '../state/objects.ts';

/** The coupon, if it can still be used. */
export function usableCoupon(account: Account, id: string, param: string): Coupon {
  const coupon = account.coupons.need(id, param);
  checkUsable(account, coupon, param);
  return coupon;
}

/** Reject a coupon that has expired or is used up. */
export function checkUsable(account: Account, coupon: Coupon, param: string): void {
  const { id, redeem_by: redeemBy, max_redemptions: most, times_redeemed: used } = coupon;
  if (redeemBy !== null && redeemBy <= account.now) {
    throw invalid(`Coupon expired: ${id}`, param, 'coupon_expired');
  }
  if (most !== null && used >= most) {
    throw invalid(`Coupon ${id} is used up and cannot be redeemed again`, param, 'coupon_expired');
  }
}

/** Count one use, and create the discount of the invoice or session. */
export function redeem(
  account: Account,
  coupon: Coupon,
  on: { customer: string | null; session: string; invoice: string | null; subscription: string | null },
): Discount {
  coupon.times_redeemed += 1;
  coupon.valid = coupon.max_redemptions === null || coupon.times_redeemed < coupon.max_redemptions;
  const months = coupon.duration_in_months;
  return account.discounts.add({
    id: account.mint('di'),
    object: 'discount',
    checkout_session: on.session,
    customer: on.customer,
    customer_account: null,
    end: months === null ? null : account.now + months * 30 * 86_400,
    invoice: on.invoice,
    invoice_item: null,
    promotion_code: null,
    source: { type: 'coupon', coupon: coupon.id },
    start: account.now,
    subscription: on.subscription,
    subscription_item: null,
  });
}

/** The reduction of a subtotal: never more than the subtotal itself; percentages round half up. */
export function reductionOf(coupon: Coupon, subtotal: number): number {
  const amount = coupon.amount_off ?? Math.round((subtotal * (coupon.percent_off ?? 0)) / 100);
  return Math.min(amount, subtotal);
}
