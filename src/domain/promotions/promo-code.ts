import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** A code that makes a purchase cheaper. `held` are open checkouts, `used` paid orders: only statements move them. */
export const PromoCode = defineEntity({
  name: 'PromoCode',
  tableName: 'promo_codes',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    code: p.string(),
    type: p.string().$type<DiscountType>(),
    percent: p.decimal('number').nullable(),
    valueCents: p.bigint('number').nullable(),
    minSubtotalCents: p.bigint('number'),
    usageLimit: p.integer().nullable(),
    perCustomerLimit: p.integer().nullable(),
    products: p.json<string[]>(),
    startsAt: p.datetime().nullable(),
    endsAt: p.datetime().nullable(),
    removedAt: p.datetime().nullable(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export type PromoCode = InferEntity<typeof PromoCode>;

export type DiscountType = 'percent' | 'fixed' | 'free_shipping';

/** A code as it is stored and compared: shoppers write it as they like. */
export function normalisePromoCode(written: string): string {
  return written.trim().toUpperCase();
}
