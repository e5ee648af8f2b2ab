import {
  CentsLike,
  IntegerLike,
  Omittable,
  OmittableOrEmpty,
  ReadWith,
  type Static,
  Text,
  Type,
} from '#src/lib/schema.ts';
import { PurchaseType, quantityMax, SubscriptionInterval } from '../catalog/index.ts';

/** A new cart. */
export const CartInput = Type.Object({
  /** Default: the store's currency, which is the only one accepted. */
  currency: OmittableOrEmpty(Text(10, { examples: ['USD'] })),
  session_id: OmittableOrEmpty(Text(200, { examples: ['b7f0a3c2'] })),
  customer_id: OmittableOrEmpty(Text(200, { examples: ['cus_01m7xfs208fk1sctzyr3afnpz3'] })),
});
export type CartInput = Static<typeof CartInput>;

/** A line to add: a variant, or a product that has only one variant. */
export const CartLineInput = Type.Object(
  {
    variantId: OmittableOrEmpty(Text(100, { examples: ['var_01m7xfs208fk1sctzyr3afnpz3'] })),
    productId: OmittableOrEmpty(Text(100, { examples: ['prod_01m7xfs208fk1sctzyr3afnpz3'] })),
    /** Default 1. */
    quantity: Omittable(IntegerLike({ minimum: 1, maximum: quantityMax })),
    /** The unit price that the shopper saw. The price charged is always the catalogue's. */
    unitPriceCents: Omittable(CentsLike),
    /** Default `one_time`. */
    purchaseType: OmittableOrEmpty(PurchaseType),
    /** `month` or `quarter`. Required for a subscription, and ignored otherwise. */
    subscriptionInterval: ReadWith({ purchaseType: 'subscription' }, SubscriptionInterval),
  },
  {
    anyOf: [{ required: ['variantId'] }, { required: ['productId'] }],
    if: { required: ['purchaseType'], properties: { purchaseType: { const: 'subscription' } } },
    then: {
      required: ['subscriptionInterval'],
      properties: { subscriptionInterval: SubscriptionInterval },
    },
  },
);
export type CartLineInput = Static<typeof CartLineInput>;

/** A change of a line. Fields that are left out stay as they are. */
export const CartLinePatch = Type.Object({
  /** 0 removes the line. */
  quantity: Omittable(IntegerLike({ minimum: 0, maximum: quantityMax })),
  purchaseType: OmittableOrEmpty(PurchaseType),
  /** `month` or `quarter`. Ignored for a one-time purchase. */
  subscriptionInterval: ReadWith({ purchaseType: ['subscription', null] }, SubscriptionInterval),
});
export type CartLinePatch = Static<typeof CartLinePatch>;
