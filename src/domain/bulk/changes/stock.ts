import { Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { ManagedProductFilter, matchesProduct, StockInput } from '../../catalog/index.ts';
import type { FieldValues } from '../../change.ts';
import { saveStockItems } from '../kinds/stock.ts';
import { defineChangeKind } from './change-kind.ts';

const { quantity, change } = StockInput.properties.items.items.properties;

/** The stock of variants: a new quantity, or a difference. */
export const changeManyStocks = defineChangeKind({
  name: 'stock',
  area: 'catalog',
  filter: ManagedProductFilter,
  change: Type.Object({ quantity, change }, { oneOf: [{ required: ['quantity'] }, { required: ['change'] }] }),
  choice: 'Say to how many, or by how many: quantity or change.',
  batchSize: 100,
  select: (ctx, filter) => sql`
    select v.id from variants v join products p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.tenant_id = ${ctx.tenant.id} and v.removed_at is null and p.removed_at is null
      and ${matchesProduct(ctx, filter)}`,
  subjects: ({ tenant }, ids) => sql`
    select id, 'variant ' || sku as subject from variants where tenant_id = ${tenant.id} and id = any(${ids}::text[])`,
  save: (ctx, selected, wanted) =>
    saveStockItems(
      ctx,
      selected.map(({ id }) => ({ variant_id: id, ...wanted })),
    ),
  undo: (ctx, changed) =>
    saveStockItems(
      ctx,
      changed.map(({ id, values }) => ({ variant_id: id, ...oppositeOf(values) })),
    ),
});

/** What was sold since stays sold. Stock that was tracked, or not, only since then becomes what it was if it still is. */
function oppositeOf({ stock: [before, after] = [null, null] }: FieldValues) {
  if (typeof before === 'number' && typeof after === 'number') return { change: before - after };
  return { quantity: before as number | null, if_quantity: after as number | null };
}
