import { BooleanLike, CentsLike, Email, IntegerLike, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { quantityMax } from '../catalog/index.ts';
import { linesMax } from './cart.ts';

const price = Omittable(CentsLike);

/** A line of a cart that a storefront saves: what it knows of it. A product that nobody knows is saved all the same. */
const SavedLineInput = Type.Object({
  product_slug: Omittable(Text(100, { examples: ['oak-bowl'] })),
  variant_id: Omittable(Text(100, { examples: ['var_01m7xfs208fk1sctzyr3afnpz3'] })),
  name: Omittable(Text(300, { examples: ['Oak bowl'] })),
  quantity: IntegerLike({ minimum: 1, maximum: quantityMax }),
  /** The price of one that the shopper saw. */
  unit_price_cents: price,
  /** The same, as other storefronts call it. */
  price_cents: price,
});

/** A cart to be kept for whoever reads mail at this address. */
export const SavedCartInput = Type.Object({
  email: Email,
  items: Type.Array(SavedLineInput, { minItems: 1, maxItems: linesMax }),
  /** Whether reminders may be sent. Default true. */
  consent: Omittable(BooleanLike()),
  session_id: Omittable(Text(200)),
  cart_id: Omittable(Text(100)),
});
export type SavedCartInput = Static<typeof SavedCartInput>;
