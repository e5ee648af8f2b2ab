import { closed } from '#src/lib/schema.ts';
import { StockInput, type StockMove, saveStock } from '../../catalog/index.ts';
import type { Change } from '../../change.ts';
import { defineImportKind } from '../import-kind.ts';
import { flatTable } from './flat-table.ts';

/** The stock of variants: a new quantity, or a difference. */
export const importStock = defineImportKind({
  name: 'stock',
  area: 'catalog',
  tables: {
    csv: flatTable({
      texts: ['variant_id', 'sku'],
      numbers: ['quantity', 'change', 'if_quantity'],
      others: ['held', 'product_slug', 'name'],
    }),
  },
  schema: closed(StockInput.properties.items.items),
  async save(ctx, items) {
    const moves = await saveStock(ctx, { items: [...items] });
    return moves.map(changeOfStock);
  },
});

export function changeOfStock({ sku, before, after }: StockMove): Change {
  return {
    subject: `variant ${sku}`,
    action: before === after ? 'unchanged' : 'updated',
    fields: ['stock'],
    values: { stock: [before, after] },
  };
}
