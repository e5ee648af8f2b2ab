import { anonymisedRows, blank, byEmail, type PersonalData, removedRows } from '../personal-data.ts';

export const promotionPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'promo_customers',
    personal: ['email'],
    beside: ['promo_id', 'held', 'used'],
    of: byEmail('email'),
  }),
  anonymisedRows({
    table: 'promo_redemptions',
    stays: 'That the code was used for an order.',
    personal: blank('email'),
    beside: ['promo_id', 'order_id', 'redeemed_at'],
    of: byEmail('email'),
  }),
];
