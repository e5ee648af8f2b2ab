import {
  Email,
  FreeFormInput,
  Id,
  Omittable,
  OmittableOrEmpty,
  ReadWith,
  Slug,
  type Static,
  Text,
  Type,
} from '#src/lib/schema.ts';
import { ReturnUrl } from '../return-url.ts';

const Plain = {
  product_slug: Slug,
  quantity: Type.Integer({ minimum: 1, maximum: 999, examples: [1] }),
};

/** `subscription_interval` is required where `purchase_type` is `subscription`, and ignored otherwise. */
const CheckoutItem = Type.Object(
  {
    ...Plain,
    variant_id: OmittableOrEmpty(Text(100, { examples: ['var_01m7xfs208fk1sctzyr3afnpz3'] })),
    purchase_type: OmittableOrEmpty(Type.Enum(['one_time', 'subscription'], { examples: ['one_time'] })),
    subscription_interval: ReadWith({ purchase_type: 'subscription' }, Text(100, { examples: ['month'] })),
  },
  {
    if: { properties: { purchase_type: { const: 'subscription' } }, required: ['purchase_type'] },
    then: {
      required: ['subscription_interval'],
      properties: { subscription_interval: { enum: ['month', 'quarter'] } },
    },
  },
);

/** The bounds that the payment provider sets for its own metadata, so that a caller can store the same in both. */
const Metadata = FreeFormInput({
  maxProperties: 50,
  propertyNames: { maxLength: 40 },
  additionalProperties: { maxLength: 500 },
  description: 'Any JSON of yours: at most 50 keys of 40 characters with values of 500 characters, 8 KB in total.',
});

/** The body of POST /checkout/sessions. */
export const CheckoutInput = Type.Object({
  items: Type.Array(CheckoutItem, { minItems: 1, maxItems: 100 }),
  return_url: OmittableOrEmpty(ReturnUrl),
  cancel_url: OmittableOrEmpty(ReturnUrl),
  customer_email: OmittableOrEmpty(Email),
  promo_code: OmittableOrEmpty(Text(100, { examples: ['WELCOME10'] })),
  gift_card_code: OmittableOrEmpty(Text(100, { examples: ['ABCD-EFGH-JKLM-NPQR'] })),
  cart_id: OmittableOrEmpty(
    Type.Unsafe<string>({
      ...Id('cart'),
      description:
        'The cart of this checkout: a new session of the same cart replaces the older one. The cart is closed once ' +
        'the order is paid. `items` alone decides what is bought, so a closed or unknown cart is no error.',
    }),
  ),
  partner_code: OmittableOrEmpty(
    Text(100, {
      examples: ['maker'],
      description:
        'The partner who referred the shopper. The discount of the partner applies unless `promo_code` is given: the ' +
        'two are not combined. Of a subscription it reduces the first payment. An unknown code is ignored.',
    }),
  ),
  metadata: Omittable(Metadata),
});
export type CheckoutInput = Static<typeof CheckoutInput>;
