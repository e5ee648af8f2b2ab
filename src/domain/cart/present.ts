import { presentAs } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { buyableQuantity, PurchaseType, StockStatusBody, SubscriptionInterval, stockStatus } from '../catalog/index.ts';
import type { CartLineRecord, CartRecord } from './cart.ts';

const amount = Type.Integer({ examples: [3800] });

const CartLineView = Type.Object(
  {
    id: Id('line'),
    /** Null when the line was added without naming its variant. */
    variantId: Nullable(Id('var')),
    productId: Id('prod'),
    productSlug: Type.String({ examples: ['oak-bowl'] }),
    name: Type.String({ examples: ['Oak bowl'] }),
    variantName: Type.String({ examples: ['Small'] }),
    sku: Type.String({ examples: ['BOWL-S'] }),
    imageUrl: Nullable(Type.String()),
    quantity: Type.Integer({ examples: [1] }),
    unitPriceCents: amount,
    lineTotalCents: amount,
    purchaseType: PurchaseType,
    subscriptionInterval: Nullable(SubscriptionInterval),
    /** Of the variant, whatever the quantity of the line is. */
    stockStatus: StockStatusBody,
    /** How many can be bought at once: a checkout of more is rejected. */
    maxQuantity: Type.Integer({ examples: [12] }),
    /** Whether the price differs from the one that the shopper saw last. */
    priceChanged: Type.Boolean(),
  },
  { title: 'CartLine' },
);

/** A cart as storefronts see it. */
export const CartView = Type.Object(
  {
    id: Id('cart'),
    status: Type.Union([Type.Literal('active'), Type.Literal('converted'), Type.Literal('expired')]),
    currency: Type.String({ examples: ['USD'] }),
    sessionId: Nullable(Type.String()),
    customerId: Nullable(Type.String()),
    items: Type.Array(CartLineView),
    /** The sum of all quantities. */
    itemCount: Type.Integer({ examples: [1] }),
    subtotalCents: amount,
    version: Type.Integer({ examples: [2] }),
    expiresAt: Timestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Cart' },
);

export function presentCart(cart: CartRecord): Static<typeof CartView> {
  const items = cart.lines.map(presentLine);
  return presentAs(CartView, {
    ...cart,
    items,
    itemCount: items.reduce((sum, { quantity }) => sum + quantity, 0),
    subtotalCents: items.reduce((sum, { lineTotalCents }) => sum + lineTotalCents, 0),
    expiresAt: new Date(cart.expiresAt),
    createdAt: new Date(cart.createdAt),
    updatedAt: new Date(cart.updatedAt),
  });
}

/** A line that can no longer be bought keeps the price that was seen last, and is out of stock. */
function presentLine(line: CartLineRecord): Static<typeof CartLineView> {
  const unitPriceCents = line.priceCents ?? line.seenPriceCents;
  return presentAs(CartLineView, {
    ...line,
    variantId: line.variantNamed ? line.variantId : null,
    name: line.productName,
    unitPriceCents,
    lineTotalCents: unitPriceCents * line.quantity,
    subscriptionInterval: line.interval,
    stockStatus: line.priceCents === null ? 'out_of_stock' : stockStatus(line),
    maxQuantity: line.priceCents === null ? 0 : buyableQuantity(line),
    priceChanged: unitPriceCents !== line.seenPriceCents,
  });
}
