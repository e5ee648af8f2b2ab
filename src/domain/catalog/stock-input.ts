import { Id, Nullable, type Static, Text, Type } from '#src/lib/schema.ts';

const quantityMax = 1_000_000;
const quantity = { minimum: 0, maximum: quantityMax, examples: [100] };

/** The body of PUT /admin/stock: each item names its variant, and says how many there are or how many more. */
export const StockInput = Type.Object({
  items: Type.Array(
    Type.Object({
      variant_id: Type.Optional(Id('var')),
      /** Where `variant_id` is not given. */
      sku: Type.Optional(Text(100, { examples: ['BOWL-S'] })),
      /** So many are on hand; null is not counted. */
      quantity: Type.Optional(Nullable(Type.Integer(quantity))),
      /** So many more, or fewer. Where `quantity` is not given. */
      change: Type.Optional(Type.Integer({ minimum: -quantityMax, maximum: quantityMax, examples: [-1] })),
      /** Only if so many are on hand now; otherwise the answer is `version_conflict`. */
      if_quantity: Type.Optional(Nullable(Type.Integer(quantity))),
    }),
    { minItems: 1, maxItems: 500, examples: [[{ sku: 'BOWL-S', quantity: 100 }]] },
  ),
});
export type StockInput = Static<typeof StockInput>;
