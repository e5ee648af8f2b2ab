import { presentAs } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { stockStatus } from '../catalog/index.ts';
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

/** A saved cart as it is restored. */
export const SavedCartView = Type.Object(
  {
    id: Id('scart'),
    saved_at: Timestamp,
    expires_at: Timestamp,
    currency: Type.String({ examples: ['USD'] }),
    items: Type.Array(SavedLineView),
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
  const items = cart.lines.map((line) =>
    presentAs(SavedLineView, {
      ...line,
      unitPriceCents: line.unitPriceCents ?? line.currentUnitPriceCents,
      status: statusOf(line),
    }),
  );
  return presentAs(SavedCartView, { ...cart, items });
}

/** Whether a line of a saved cart can still be bought. */
export function isBuyable(line: SavedLine): boolean {
  return ['ok', 'price_changed'].includes(statusOf(line));
}

function statusOf(line: SavedLine): Static<typeof SavedLineView>['status'] {
  if (line.variantCount === 0) return 'discontinued';
  // One of several variants: the shopper has to choose one before its price and stock are known.
  if (line.currentUnitPriceCents === null) return 'ok';
  if (stockStatus(line) === 'out_of_stock') return 'out_of_stock';
  const isPriceChanged = line.unitPriceCents !== null && line.unitPriceCents !== line.currentUnitPriceCents;
  return isPriceChanged ? 'price_changed' : 'ok';
}
