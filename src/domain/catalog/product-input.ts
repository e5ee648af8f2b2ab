import { Cents, Nullable, Omittable, Slug, type Static, Text, Type, Url } from '#src/lib/schema.ts';

/** The limit of a stock count that a store may name. */
const stockMax = 1_000_000;

export const Tag = Type.String({ pattern: '^[^\\s,](?:[^,]*[^\\s,])?$', maxLength: 60, examples: ['wood'] });

export const PurchaseType = Type.Enum(['one_time', 'subscription']);
export type PurchaseType = Static<typeof PurchaseType>;

export const SubscriptionInterval = Type.Enum(['month', 'quarter']);
export type SubscriptionInterval = Static<typeof SubscriptionInterval>;

/** A picture at an address of the store's own; its place in the list is its position. */
export const ImageInput = Type.Object({
  url: Url,
  alt: Omittable(Type.String({ maxLength: 500 })),
  width: Omittable(Type.Integer({ minimum: 1, maximum: 100_000 })),
  height: Omittable(Type.Integer({ minimum: 1, maximum: 100_000 })),
});
export type ImageInput = Static<typeof ImageInput>;

/** One thing that can be bought. Its SKU says which it is: a variant keeps its id as long as it keeps its SKU. */
export const VariantInput = Type.Object({
  sku: Text(100, { examples: ['BOWL-S'] }),
  name: Omittable(Text(200, { examples: ['Small'] })),
  options: Omittable(Type.Record(Type.String(), Type.String({ maxLength: 200 }), { maxProperties: 50 })),
  price_cents: Cents,
  compare_at_cents: Omittable(Cents),
  /** Each time. Without it the variant is not sold by subscription. */
  subscription_price_cents: Omittable(Cents),
  weight_oz: Omittable(Type.Number({ minimum: 0, maximum: 100_000 })),
  /** Whether there is something to ship. */
  ships: Omittable(Type.Boolean()),
  /** The opening stock; null is not tracked. */
  stock: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: stockMax }))),
  low_stock_at: Omittable(Type.Integer({ minimum: 0, maximum: stockMax })),
  /** Whether it may be sold when there is none left. */
  backorder: Omittable(Type.Boolean()),
});
export type VariantInput = Static<typeof VariantInput>;

/** A product as the store file and the owner's side write it. */
export const ProductInput = Type.Object({
  slug: Slug,
  name: Text(200, { examples: ['Oak bowl'] }),
  description: Omittable(Type.String({ maxLength: 20_000 })),
  category: Omittable(Text(100, { examples: ['kitchen'] })),
  tags: Omittable(Type.Array(Tag, { maxItems: 50 })),
  /** Only what is published is seen and sold. */
  status: Omittable(Type.Enum(['draft', 'published'])),
  images: Omittable(Type.Array(ImageInput, { maxItems: 50 })),
  purchase_types: Omittable(Type.Array(PurchaseType, { minItems: 1, maxItems: 2, uniqueItems: true })),
  /** Absent, a product that is sold by subscription is sold in every interval. */
  subscription_intervals: Omittable(Type.Array(SubscriptionInterval, { maxItems: 2, uniqueItems: true })),
  variants: Type.Array(VariantInput, { minItems: 1, maxItems: 100 }),
});
export type ProductInput = Static<typeof ProductInput>;
