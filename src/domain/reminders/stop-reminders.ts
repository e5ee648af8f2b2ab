import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { ConvertedCart } from '../cart/index.ts';
import type { InTransaction } from '../context.ts';

/** An order counts as recovered when it is paid within this time after its cart was restored. */
const recoveredWithinMs = days(7);

/**
 * Skip the remaining reminders of saved carts that an order has converted. Call it in the transaction that marks the order
 * as paid.
 */
export async function stopReminders(
  ctx: InTransaction,
  orderId: string,
  savedCarts: readonly ConvertedCart[],
): Promise<void> {
  if (savedCarts.length === 0) return;
  const now = ctx.clock.now();
  const recovered = savedCarts.filter(
    ({ restoredAt }) => restoredAt && now.getTime() - restoredAt.getTime() <= recoveredWithinMs,
  );
  await ctx.tx.execute(sql`
    with stopped as (
      update reminder_steps set state = 'skipped', reason = 'purchased', decided_at = ${now}
      where tenant_id = ${ctx.tenant.id} and saved_cart_id = any(${savedCarts.map(({ id }) => id)}::text[]) and state = 'scheduled')
    insert into reminder_recoveries (tenant_id, saved_cart_id, order_id, recovered_at)
    select ${ctx.tenant.id}, id, ${orderId}, ${now}::timestamptz from unnest(${recovered.map(({ id }) => id)}::text[]) as cart(id)
    on conflict do nothing`);
}
