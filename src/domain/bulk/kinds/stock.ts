import { closed, type Static } from '#src/lib/schema.ts';
import { ExportedStockItem, type StockMove, saveStockChanges, stockChangeOf } from '../../catalog/index.ts';
import type { IdentifiedChange } from '../../change.ts';
import type { Context } from '../../context.ts';
import { defineImportKind } from '../import-kind.ts';
import { withoutFields } from './cells.ts';
import { flatTable } from './flat-table.ts';

/** What an export has besides. */
const notRead = ['held', 'product_slug', 'name'];

/** The stock of variants: a new quantity, or a difference. A row with neither leaves it as it is. */
export const importStock = defineImportKind({
  name: 'stock',
  area: 'catalog',
  tables: {
    csv: flatTable({
      texts: ['variant_id', 'sku'],
      numbers: ['quantity', 'change', 'if_quantity'],
      others: notRead,
      identifiers: ['sku'],
    }),
  },
  schema: closed(ExportedStockItem),
  readLine: (line) => withoutFields(line, notRead),
  save: saveStockItems,
});

/** Save the stock of several variants, all or nothing. What is wrong with one says its SKU, not its place. */
export async function saveStockItems(
  ctx: Context,
  items: readonly Static<typeof ExportedStockItem>[],
): Promise<IdentifiedChange[]> {
  const moves = await saveStockChanges(
    ctx,
    items.map((item) => stockChangeOf(isEdited(item) ? item : withoutFields(item, ['quantity', 'if_quantity']))),
  );
  return moves.map(changeOfStock);
}

/** Sales go on while an export is edited: a quantity that is still the one of the export is none to set. */
const isEdited = ({ quantity, if_quantity: exported }: Static<typeof ExportedStockItem>) =>
  quantity === undefined || quantity !== exported;

function changeOfStock({ variantId, sku, before, after }: StockMove): IdentifiedChange {
  return {
    id: variantId,
    subject: `variant ${sku}`,
    action: before === after ? 'unchanged' : 'updated',
    fields: ['stock'],
    values: { stock: [before, after] },
  };
}
