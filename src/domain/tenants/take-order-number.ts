import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { runOnPlatformTables } from '../database.ts';

/**
 * The store's next order number. Called outside the transaction that uses it, so that the store's row is locked for
 * a moment only: numbers rise, and one that was not used leaves a gap.
 */
export async function takeOrderNumber(ctx: Context): Promise<number> {
  const [row] = await runOnPlatformTables<{ number: number }>(ctx, sql`
    update tenants set next_order_number = next_order_number + 1 where id = ${ctx.tenant.id}
    returning next_order_number - 1 as number`);
  if (!row) throw new TypeError('The store of this context is gone.');
  return row.number;
}
