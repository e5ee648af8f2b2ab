import { CentsLike, IntegerLike, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { PurchaseType, quantityMax, SubscriptionInterval } from '../catalog/index.ts';

/** A new cart. */
export const CartInput = Type.Object({
  /** The store's own, or none. */
  currency: Omittable(Text(10, { examples: ['USD'] })),
  session_id: Omittable(Text(200, { examples: ['b7f0a3c2'] })),
  customer_id: Omittable(Text(200, { examples: ['cus_01m7xfs208fk1sctzyr3afnpz3'] })),
});
export type CartInput = Static<typeof CartInput>;

/** What goes into a cart: a variant, or a product that has only one. */
export const CartLineInput = Type.Object(
  {
    variantId: Omittable(Text(100, { examples: ['var_01m7xfs208fk1sctzyr3afnpz3'] })),
    productId: Omittable(Text(100, { examples: ['prod_01m7xfs208fk1sctzyr3afnpz3'] })),
    /** Default 1. */
    quantity: Omittable(IntegerLike({ minimum: 1, maximum: quantityMax })),
    /** The price that the shopper saw. The catalogue's is asked, always. */
    unitPriceCents: Omittable(CentsLike),
    /** Default `one_time`. */
    purchaseType: Omittable(PurchaseType),
    /** How often, when it is a subscription. */
    subscriptionInterval: Omittable(SubscriptionInterval),
  },
  {
    anyOf: [{ required: ['variantId'] }, { required: ['productId'] }],
    if: { required: ['purchaseType'], properties: { purchaseType: { const: 'subscription' } } },
    then: { required: ['subscriptionInterval'], properties: { subscriptionInterval: { type: 'string' } } },
  },
);
export type CartLineInput = Static<typeof CartLineInput>;

/** What changes about a line. */
export const CartLinePatch = Type.Object({
  /** 0 removes the line. */
  quantity: Omittable(IntegerLike({ minimum: 0, maximum: quantityMax })),
  purchaseType: Omittable(PurchaseType),
  subscriptionInterval: Omittable(SubscriptionInterval),
});
export type CartLinePatch = Static<typeof CartLinePatch>;
