import { presentAs } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { PurchaseType, SubscriptionInterval, stockStatus } from '../catalog/index.ts';
import type { SavedCart } from './save-cart.ts';
import type { RestoredCart, SavedLine } from './saved-cart.ts';

/** The response to saving a cart. It never holds the token, which is only sent by email. */
export const SavedCartReceipt = Type.Object({
  ok: Type.Literal(true),
  saved_cart_id: Id('scart'),
  expires_at: Timestamp,
  reminders: Type.Union([Type.Literal('scheduled'), Type.Literal('not_scheduled')]),
});

const price = Nullable(Type.Integer({ examples: [3800] }));

const SavedLineView = Type.Object({
  product_slug: Nullable(Type.String({ examples: ['oak-bowl'] })),
  variant_id: Nullable(Type.String()),
  name: Nullable(Type.String({ examples: ['Oak bowl'] })),
  quantity: Type.Integer({ examples: [1] }),
  unit_price_cents: price,
  current_unit_price_cents: price,
  status: Type.Union([
    Type.Literal('ok'),
    Type.Literal('price_changed'),
    Type.Literal('out_of_stock'),
    Type.Literal('discontinued'),
  ]),
});

const RestoredLineView = Type.Object({
  ...SavedLineView.properties,
  /** How the line was to be bought, if the storefront said so when it saved the cart. */
  purchase_type: Type.Optional(PurchaseType),
  subscription_interval: Type.Optional(SubscriptionInterval),
});

/** A saved cart as it is restored. */
export const SavedCartView = Type.Object(
  {
    id: Id('scart'),
    saved_at: Timestamp,
    expires_at: Timestamp,
    currency: Type.String({ examples: ['USD'] }),
    items: Type.Array(RestoredLineView),
  },
  { title: 'SavedCart' },
);

export function presentSavedCartReceipt(
  { id, expiresAt }: SavedCart,
  reminders: 'scheduled' | 'not_scheduled',
): Static<typeof SavedCartReceipt> {
  return { ok: true, saved_cart_id: id, expires_at: expiresAt.toISOString(), reminders };
}

export function presentSavedCart(cart: RestoredCart): Static<typeof SavedCartView> {
  const items = cart.lines.map((line) => ({
    ...presentAs(SavedLineView, {
      ...line,
      unitPriceCents: line.unitPriceCents ?? line.currentUnitPriceCents,
      status: statusOf(line),
    }),
    ...(line.purchaseType && { purchase_type: line.purchaseType }),
    ...(line.subscriptionInterval && { subscription_interval: line.subscriptionInterval }),
  }));
  return presentAs(SavedCartView, { ...cart, items });
}

/** Whether a line of a saved cart can still be bought. */
export function isBuyable(line: SavedLine): boolean {
  return ['ok', 'price_changed'].includes(statusOf(line));
}

function statusOf(line: SavedLine): Static<typeof SavedLineView>['status'] {
  // One of several variants: the shopper has to choose one before its price and stock are known.
  if (line.variantCount > 1) return 'ok';
  if (line.currentUnitPriceCents === null) return 'discontinued';
  if (stockStatus(line) === 'out_of_stock') return 'out_of_stock';
  const isPriceChanged = line.unitPriceCents !== null && line.unitPriceCents !== line.currentUnitPriceCents;
  return isPriceChanged ? 'price_changed' : 'ok';
}
