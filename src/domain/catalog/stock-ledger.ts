import { read } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
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

interface MovementRow {
  readonly id: string;
  readonly quantity: number;
  readonly reason: Static<typeof StockMovementView>['reason'];
  readonly orderId: string | null;
  readonly at: Date;
  readonly position: Position;
}

/**
 * The stock movements of a variant, the newest first, page by page; none of an unknown one.
 * @throws DomainError `invalid_cursor`
 */
export async function listStockMovements(
  ctx: Context,
  { variantId, cursor, limit = 20 }: PageRequest & { readonly variantId: string },
): Promise<Page<Static<typeof StockMovementView>>> {
  const list = keyset(ctx, `stock of ${variantId}`, { columns: ['id'], descending: true }, cursor);
  const rows = await read<MovementRow>(
    ctx,
    sql`
    select id, quantity, reason, order_id as "orderId", at, ${list.position} as position from stock_movements
    where tenant_id = ${ctx.tenant.id} and variant_id = ${variantId} and ${list.after}
    order by ${list.by} limit ${limit + 1}`,
  );
  const page = list.page(rows, limit);
  return {
    rows: page.rows.map(({ id, quantity, reason, orderId, at }) => ({
      id,
      quantity,
      reason,
      order_id: orderId,
      at: at.toISOString(),
    })),
    cursor: page.cursor,
  };
}
