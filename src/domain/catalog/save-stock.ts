import { transact } from '#src/database/transact.ts';
import { type DomainError, invalidRequest } from '#src/lib/errors.ts';
import { recordAudits } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { changeStock, type StockChange, type StockMove } from './change-stock.ts';
import type { StockInput } from './stock-input.ts';

/**
 * Change the stock of several variants as their owner says, all or nothing, and write each change into the audit log.
 * @throws DomainError `invalid_request` where an item says too little; and as `changeStock`
 */
export async function saveStock(ctx: Context, input: StockInput): Promise<StockMove[]> {
  const changes = changesOf(input);
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

function changesOf({ items }: StockInput): StockChange[] {
  return items.map(({ variant_id: variantId, sku, quantity, change, if_quantity: ifQuantity }, index) => {
    if (variantId === undefined && sku === undefined) throw lacks(index, 'sku', 'variant_id');
    if (quantity === undefined && change === undefined) throw lacks(index, 'quantity', 'change');
    return { variantId, sku, quantity, change, ifQuantity };
  });
}

function lacks(index: number, field: string, other: string): DomainError {
  return invalidRequest(`Each item has a ${field} or a ${other}.`, {
    path: `/items/${index}/${field}`,
    code: 'required',
    detail: `is required without a ${other}`,
  });
}
