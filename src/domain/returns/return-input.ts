import { Email, Id, IntegerLike, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';

/** So many pieces of something bought, by the item of the order or by its variant. */
export const ReturnItemInput = Type.Object(
  {
    order_item_id: Omittable(Id('item')),
    variant_id: Omittable(Id('var')),
    quantity: IntegerLike({ minimum: 1, maximum: 999 }),
    reason: Omittable(Text(200, { examples: ['too_small'] })),
    note: Omittable(Text(2000, { examples: ['The rim is chipped.'] })),
  },
  { anyOf: [{ required: ['order_item_id'] }, { required: ['variant_id'] }] },
);
export type ReturnItemInput = Static<typeof ReturnItemInput>;

/** What a shopper asks for who is signed in: the session says who that is. */
export const OwnReturnInput = Type.Object({
  order_number: Text(50, { examples: ['ORD-1001'] }),
  items: Type.Array(ReturnItemInput, { minItems: 1, maxItems: 100 }),
});
export type OwnReturnInput = Static<typeof OwnReturnInput>;

/** What anybody asks for who knows an order's number and the address that it was placed with. */
export const ReturnInput = Type.Object({ ...OwnReturnInput.properties, email: Email });
export type ReturnInput = Static<typeof ReturnInput>;
