import { decideReminder } from '#jobs/reminders.ts';
import { transact } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { opaque, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type ConvertedCart, draftSavedCart, type SavedCart, type SavedCartInput, saveCart } from '../cart/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { reminderSettings } from './reminder-settings.ts';

export interface RemindedCart {
  readonly cart: SavedCart;
  /** Depends on the store's settings and the shopper's consent only, so it does not reveal who has unsubscribed. */
  readonly reminders: 'scheduled' | 'not_scheduled';
}

/**
 * Save a cart for an email address and schedule its reminders, in one transaction.
 *
 * @param options `mayRemind` is false when an email limit is exceeded. The result is the same, so that it reveals
 *   nothing about the address, but nothing is stored: the cart could only be opened from a reminder, and as the newest
 *   one it would stop the reminders of an older cart.
 */
export async function saveCartAndRemind(
  ctx: Context,
  input: SavedCartInput,
  { mayRemind = true }: { mayRemind?: boolean } = {},
): Promise<RemindedCart> {
  return transact(ctx, async (ctx): Promise<RemindedCart> => {
    const cart = mayRemind ? await saveCart(ctx, input) : draftSavedCart(ctx, input);
    const { enabled, stepsMs } = await reminderSettings(ctx);
    if (!enabled || !cart.consent) return { cart, reminders: 'not_scheduled' };
    if (mayRemind) await schedule(ctx, cart, stepsMs);
    return { cart, reminders: 'scheduled' };
  });
}

async function schedule(
  ctx: InTransaction,
  { id, email, savedAt }: SavedCart,
  stepsMs: readonly number[],
): Promise<void> {
  const steps = stepsMs.map((stepMs) => ({ id: newId('rem'), dueAt: new Date(savedAt.getTime() + stepMs) }));
  await ctx.tx.execute(sql`
    insert into reminder_steps (tenant_id, id, saved_cart_id, email, number, state, due_at, created_at)
    select ${ctx.tenant.id}, step.id, ${id}, ${email}, step.number, 'scheduled', step.due_at, ${savedAt}::timestamptz
    from unnest(${steps.map((step) => step.id)}::text[], ${steps.map((step) => step.dueAt)}::timestamptz[])
      with ordinality as step(id, due_at, number)`);
  for (const step of steps) enqueue(ctx, decideReminder, { reminderId: step.id, attempt: 1 }, { dueAt: step.dueAt });
}

/** An order counts as recovered when it is paid within this time after its cart was restored. */
const recoveredWithinMs = days(7);

/**
 * Skip the remaining reminders of saved carts that an order has converted. Call it in the transaction that marks them so.
 */
export async function stopReminders(
  ctx: InTransaction,
  { orderId, paidAt }: { readonly orderId: string; readonly paidAt: Date },
  savedCarts: readonly ConvertedCart[],
): Promise<void> {
  if (savedCarts.length === 0) return;
  const now = ctx.clock.now();
  const recovered = savedCarts.filter(({ restoredAt }) => {
    const openedMs = restoredAt ? paidAt.getTime() - restoredAt.getTime() : -1;
    return openedMs >= 0 && openedMs <= recoveredWithinMs;
  });
  await ctx.tx.execute(sql`
    with stopped as (
      update reminder_steps set state = 'skipped', reason = 'purchased', decided_at = ${now}
      where tenant_id = ${opaque(ctx.tenant.id)} and state = 'scheduled'
        and saved_cart_id = any(${savedCarts.map(({ id }) => id)}::text[]))
    insert into reminder_recoveries (tenant_id, saved_cart_id, order_id, recovered_at)
    select ${ctx.tenant.id}, id, ${orderId}, ${now}::timestamptz
    from unnest(${recovered.map(({ id }) => id)}::text[]) as cart(id)
    on conflict do nothing`);
}
