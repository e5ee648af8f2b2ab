import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Cents, centsMax, Omittable, Slug, type Static, Timestamp, Type } from '#src/lib/schema.ts';

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

const limit = Type.Integer({ minimum: 1, maximum: 1_000_000_000, examples: [100] });

const terms = {
  type: Type.Union([Type.Literal('percent'), Type.Literal('fixed'), Type.Literal('free_shipping')]),
  /** Of a percent code; four decimals count. */
  value: Omittable(Type.Number({ minimum: 0.0001, maximum: 100, examples: [10] })),
  /** Of a fixed code. */
  value_cents: Omittable(Type.Integer({ minimum: 1, maximum: centsMax, examples: [500] })),
  /** The subtotal from which on the code is good. */
  min_subtotal_cents: Omittable(Cents),
  /** How many orders may use it. */
  usage_limit: Omittable(limit),
  /** How many orders of one address may use it. */
  per_customer_limit: Omittable(limit),
  /** Good from this moment on. */
  starts_at: Omittable(Timestamp),
  /** No longer good from this moment on. */
  ends_at: Omittable(Timestamp),
  /** The slugs of the products that it makes cheaper. None: all of them. */
  products: Omittable(Type.Array(Slug, { maxItems: 500, uniqueItems: true })),
};

/** Each type wants its value. */
const conditions = {
  allOf: [
    {
      if: { properties: { type: { const: 'percent' } } },
      then: { required: ['value'], properties: { value: { type: 'number' } } },
    },
    {
      if: { properties: { type: { const: 'fixed' } } },
      then: { required: ['value_cents'], properties: { value_cents: { type: 'integer' } } },
    },
  ],
};

/** A promo code as the store file and the owner's side write it. */
export const PromoCodeInput = Type.Object(
  {
    code: Type.String({ pattern: '^\\s*[A-Za-z0-9][A-Za-z0-9_-]{0,49}\\s*$', examples: ['WELCOME10'] }),
    ...terms,
  },
  conditions,
);
export type PromoCodeInput = Static<typeof PromoCodeInput>;

/** What a promo code does, without its name. */
export const PromoTermsInput = Type.Object(terms, conditions);
