import { readPage } from '#src/database/read-page.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** One change of the quantity on hand of a variant. */
export const StockMovementView = Type.Object(
  {
    id: Type.String({ examples: ['mov_01m7xfs208fk1sctzyr3afnpz3'] }),
    /** The difference; negative when stock was taken. */
    quantity: Type.Integer({ examples: [-1] }),
    /** `set` and `adjusted` are the owner's changes: of the quantity, and by a difference. */
    reason: Type.Enum(['sold', 'restocked', 'set', 'adjusted']),
    order_id: Nullable(Id('ord')),
    at: Timestamp,
  },
  { title: 'StockMovement' },
);

/**
 * The stock movements of a variant, the newest first, page by page; none of an unknown one.
 * @throws DomainError `invalid_cursor`
 */
export async function listStockMovements(
  ctx: Context,
  { variantId, ...page }: PageRequest & { readonly variantId: string },
): Promise<Page<Static<typeof StockMovementView>>> {
  const { rows, cursor } = await readPage<RowOf<typeof StockMovementView>>(
    ctx,
    { name: `stock of ${variantId}`, columns: ['id'], descending: true },
    page,
    (position) => sql`
    select id, quantity, reason, order_id as "orderId", at${position} from stock_movements
    where tenant_id = ${ctx.tenant.id} and variant_id = ${variantId}`,
  );
  return { rows: rows.map((row) => presentAs(StockMovementView, row)), cursor };
}
