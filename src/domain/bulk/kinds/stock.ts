import { closed } from '#src/lib/schema.ts';
import { StockInput, saveStock } from '../../catalog/index.ts';
import { defineImportKind } from '../import-kind.ts';
import { filledCells, filledNumbers } from './cells.ts';

const names = ['variant_id', 'sku'] as const;
const numbers = ['quantity', 'change', 'if_quantity'] as const;

/** The stock of variants: a new quantity, or a difference. */
export const importStock = defineImportKind({
  name: 'stock',
  area: 'catalog',
  tables: {
    csv: {
      required: [],
      // The others are in the file that an export writes.
      optional: [...names, ...numbers, 'product_slug', 'name', 'held'],
      otherColumns: 'rejected',
      valueOf: ([row = {}]) => ({ ...filledCells(row, names), ...filledNumbers(row, numbers) }),
    },
  },
  schema: closed(StockInput.properties.items.items),
  async save(ctx, items) {
    const moves = await saveStock(ctx, { items: [...items] });
    return moves.map(({ sku, before, after }) => ({
      subject: `variant ${sku}`,
      action: before === after ? 'unchanged' : 'updated',
      fields: ['stock'],
      values: { stock: [before, after] },
    }));
  },
});
