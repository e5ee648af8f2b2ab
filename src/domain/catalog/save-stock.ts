import { transact } from '#src/database/transact.ts';
import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import { Id, Nullable, type Static, Type } from '#src/lib/schema.ts';
import { recordAudits } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { changeStock, type StockChange, type StockMove } from './change-stock.ts';
import { Sku, stockMax } from './product-input.ts';

const quantity = { minimum: 0, maximum: stockMax, examples: [100] };

/** The body of PUT /admin/stock: each item names a variant and gives its new quantity or the difference to it. */
export const StockInput = Type.Object({
  items: Type.Array(
    Type.Object({
      variant_id: Type.Optional(Id('var')),
      /** Required without `variant_id`. With one, it must be the SKU of that variant. */
      sku: Type.Optional(Sku),
      /** The new quantity on hand; null stops tracking the stock. */
      quantity: Type.Optional(Nullable(Type.Integer(quantity))),
      /** The difference to the quantity on hand. Required without `quantity`, and rejected with one. */
      change: Type.Optional(Type.Integer({ minimum: -stockMax, maximum: stockMax, examples: [-1] })),
      /** Apply the change only if this or the new one is the quantity on hand; otherwise it is a `version_conflict`. */
      if_quantity: Type.Optional(Nullable(Type.Integer(quantity))),
    }),
    { minItems: 1, maxItems: 500, examples: [[{ sku: 'BOWL-S', quantity: 100 }]] },
  ),
});
export type StockInput = Static<typeof StockInput>;

const { items: StockItem } = StockInput.properties.items;
type StockItem = Static<typeof StockItem>;

const exportedQuantity = Type.Optional(Nullable(Type.Integer({ ...quantity, minimum: -stockMax })));

/** An item of an exported file: its quantity is below zero where more was sold than there was. */
export const ExportedStockItem = Type.Object({
  ...StockItem.properties,
  quantity: exportedQuantity,
  if_quantity: exportedQuantity,
});

/**
 * Change the stock of several variants as their owner says, all or nothing, and write each change into the audit log.
 * @throws DomainError `invalid_request` where an item says too little or too much; and as `changeStock`
 */
export function saveStock(ctx: Context, { items }: StockInput): Promise<StockMove[]> {
  const changes = items.map((item, index) => {
    const path = `/items/${index}`;
    if (item.quantity === undefined && item.change === undefined) throw lacks(path, 'quantity', 'change');
    return stockChangeOf(item, path);
  });
  return saveStockChanges(ctx, changes);
}

/** The same for changes that may also leave the stock as it is. */
export async function saveStockChanges(ctx: Context, changes: readonly StockChange[]): Promise<StockMove[]> {
  return transact(ctx, async (ctx) => {
    const moves = await changeStock(ctx, changes);
    const changed = moves.filter(({ before, after }) => before !== after);
    await recordAudits(
      ctx,
      changed.map(({ variantId, sku, before, after }) => ({
        action: 'stock.updated',
        subjectKind: 'variant',
        subjectId: variantId,
        before: { sku, quantity: before },
        after: { sku, quantity: after },
      })),
    );
    return moves;
  });
}

/**
 * What an item changes.
 * @param path where the item stands
 * @throws DomainError `invalid_request` where it names no variant, or both a quantity and a difference
 */
export function stockChangeOf(item: StockItem, path = ''): StockChange {
  const { variant_id: variantId, sku, quantity, change, if_quantity: ifQuantity } = item;
  if (variantId === undefined && sku === undefined) throw lacks(path, 'sku', 'variant_id');
  if (quantity !== undefined && change !== undefined) {
    throw invalidRequest('An item has a quantity or a change, not both.', {
      path: `${path}/change`,
      code: 'ambiguous',
      detail: 'must not be given with a quantity',
    });
  }
  return { path, variantId, sku, quantity, change, ifQuantity };
}

function lacks(path: string, field: string, other: string): DomainError {
  return invalidRequest(`Each item has a ${field} or a ${other}.`, {
    path: `${path}/${field}`,
    code: 'required',
    detail: `is required without a ${other}`,
  });
}
