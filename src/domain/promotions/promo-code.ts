import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Cents, centsMax, Omittable, ReadWith, Slug, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { typedCode } from '#src/lib/typed-code.ts';
import { ExpectedVersion } from '../audit/index.ts';

/** A promo code. Its usage counters are columns that only SQL updates change, so the entity leaves them out. */
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

/** A code as it is stored and compared: neither case nor keyboard matters. */
export const normalisePromoCode = typedCode;

const limit = Type.Integer({ minimum: 1, maximum: 1_000_000_000, examples: [100] });

const terms = {
  type: Type.Union([Type.Literal('percent'), Type.Literal('fixed'), Type.Literal('free_shipping')]),
  /** The percentage of a percent code, with up to four decimals. Ignored for the other types. */
  value: ReadWith({ type: 'percent' }, Type.Number({ minimum: 0.0001, maximum: 100, examples: [10] })),
  /** The discount of a fixed code. Ignored for the other types. */
  value_cents: ReadWith({ type: 'fixed' }, Type.Integer({ minimum: 1, maximum: centsMax, examples: [500] })),
  /** The smallest subtotal that the code applies to. */
  min_subtotal_cents: Omittable(Cents),
  /** How many orders may use it. */
  usage_limit: Omittable(limit),
  /** How many orders with one email may use it. */
  per_customer_limit: Omittable(limit),
  /** Valid from this time. */
  starts_at: Omittable(Timestamp),
  /** Valid until just before this time. */
  ends_at: Omittable(Timestamp),
  /** The slugs of the products that it applies to. Empty: all products. */
  products: Omittable(Type.Array(Slug, { maxItems: 500, uniqueItems: true })),
};

/** Each type requires its own value. */
const conditions = {
  allOf: [
    {
      if: { required: ['type'], properties: { type: { const: 'percent' } } },
      then: { required: ['value'], properties: { value: { type: 'number' } } },
    },
    {
      if: { required: ['type'], properties: { type: { const: 'fixed' } } },
      then: { required: ['value_cents'], properties: { value_cents: { type: 'integer' } } },
    },
  ],
};

/** A promo code as the store file and the admin API write it. */
export const PromoCodeInput = Type.Object(
  {
    code: Type.String({ trimmed: true, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$', examples: ['WELCOME10'] }),
    ...terms,
  },
  conditions,
);
export type PromoCodeInput = Static<typeof PromoCodeInput>;

/** The terms of a promo code, without the code itself, and the version that they replace. */
export const PromoTermsInput = Type.Object({ ...terms, version: ExpectedVersion }, conditions);
