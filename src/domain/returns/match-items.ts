import { invalidRequest } from '#src/lib/errors.ts';
import type { ReturnableItem } from '../orders/index.ts';
import type { ReturnItemInput } from './return-input.ts';
import { returnNotAllowed } from './return-not-allowed.ts';

/** So many pieces of one item of the order, with what the shopper says of them. */
export interface MatchedItem {
  readonly itemId: string;
  readonly variantId: string;
  readonly name: string;
  readonly quantity: number;
  readonly reason: string | null;
  readonly note: string | null;
}

/**
 * Find what a shopper wants to return among the items of the order. A variant may stand in several of its lines, so
 * it is taken from the first that still has some.
 *
 * @throws DomainError `invalid_request` where a line names nothing; `return_not_allowed` with the reason `not_bought`,
 *   or `quantity_exceeded` where more are wanted than were bought and are in no other return
 */
export function matchItems(items: readonly ReturnableItem[], wanted: readonly ReturnItemInput[]): MatchedItem[] {
  const left = new Map(items.map(({ id, quantity, returnedQuantity }) => [id, quantity - returnedQuantity]));
  return wanted.flatMap((line, index) => {
    const candidates = candidatesFor(line, index, items);
    let open = line.quantity;
    const matched = candidates.flatMap(({ id, variantId, name }): MatchedItem[] => {
      const quantity = Math.min(open, left.get(id) ?? 0);
      if (quantity === 0) return [];
      open -= quantity;
      left.set(id, (left.get(id) ?? 0) - quantity);
      return [{ itemId: id, variantId, name, quantity, reason: line.reason ?? null, note: line.note ?? null }];
    });
    if (open === 0) return matched;
    throw returnNotAllowed('quantity_exceeded', 'More would come back than was bought.', {
      path: `/items/${index}/quantity`,
      detail: `must be at most ${line.quantity - open}`,
    });
  });
}

function candidatesFor(line: ReturnItemInput, index: number, items: readonly ReturnableItem[]): ReturnableItem[] {
  const { order_item_id: itemId, variant_id: variantId } = line;
  if (!itemId && !variantId) {
    throw invalidRequest('Each item names an item of the order, or a variant.', {
      path: `/items/${index}/order_item_id`,
      code: 'required',
      detail: 'is required without a variant_id',
    });
  }
  const found = items.filter((item) => (!itemId || item.id === itemId) && (!variantId || item.variantId === variantId));
  if (found.length > 0) return found;
  const path = `/items/${index}/${itemId ? 'order_item_id' : 'variant_id'}`;
  throw returnNotAllowed('not_bought', 'This is not in the order.', { path, detail: 'is not in the order' });
}

/** The pieces of each item, for each is set aside once. */
export function sumByItem(
  items: readonly { itemId: string; quantity: number }[],
): { itemId: string; quantity: number }[] {
  const sums = new Map<string, number>();
  for (const { itemId, quantity } of items) sums.set(itemId, (sums.get(itemId) ?? 0) + quantity);
  return [...sums].map(([itemId, quantity]) => ({ itemId, quantity }));
}
