import { decideReminder } from '#jobs/reminders.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type SavedCart, saveCart, type SavedCartInput } from '../cart/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { transact } from '../database.ts';
import { reminderSettings } from './read-reminder-settings.ts';

export interface RemindedCart {
  readonly cart: SavedCart;
  /** Tells what the store does and what the shopper agreed to, never who has unsubscribed. */
  readonly reminders: 'scheduled' | 'not_scheduled';
}

/** Keep a cart for whoever reads mail at this address, and promise to think of reminding of it, all in one. */
export async function saveCartAndRemind(ctx: Context, input: SavedCartInput): Promise<RemindedCart> {
  return transact(ctx, async (ctx): Promise<RemindedCart> => {
    const cart = await saveCart(ctx, input);
    const { enabled, stepsMs } = await reminderSettings(ctx);
    if (!enabled || !cart.consent) return { cart, reminders: 'not_scheduled' };
    await schedule(ctx, cart, stepsMs);
    return { cart, reminders: 'scheduled' };
  });
}

async function schedule(ctx: InTransaction, { id, email, savedAt }: SavedCart, stepsMs: readonly number[]): Promise<void> {
  const steps = stepsMs.map((stepMs) => ({ id: newId('rem'), dueAt: new Date(savedAt.getTime() + stepMs) }));
  await ctx.tx.run(sql`
    insert into reminder_steps (tenant_id, id, saved_cart_id, email, number, state, due_at, created_at)
    select ${ctx.tenant.id}, step.id, ${id}, ${email}, step.number, 'scheduled', step.due_at, ${savedAt}::timestamptz
    from unnest(${steps.map((step) => step.id)}::text[], ${steps.map((step) => step.dueAt)}::timestamptz[])
      with ordinality as step(id, due_at, number)`);
  for (const step of steps) enqueue(ctx, decideReminder, { reminderId: step.id, attempt: 1 }, { dueAt: step.dueAt });
}
