import { write } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** The number of a store's first order. */
const firstOrderNumber = 1001;

/**
 * The store's next order number. Called outside the transaction that uses it, so that the counter is locked for a
 * moment only: numbers rise, and one that was not used leaves a gap. The counter is a row of its own, so that nobody
 * who buys waits for somebody who changes the store.
 */
export async function takeOrderNumber(ctx: Context): Promise<number> {
  const [taken] = await write<{ number: number }>(
    ctx,
    sql`
    taken as (
      insert into order_numbers (tenant_id, next_number) values (${ctx.tenant.id}, ${firstOrderNumber + 1})
      on conflict (tenant_id) do update set next_number = order_numbers.next_number + 1
      returning next_number - 1 as number)`,
    sql`
    select number from taken`,
  );
  if (!taken) throw new TypeError('The counter gave no number.');
  return taken.number;
}
