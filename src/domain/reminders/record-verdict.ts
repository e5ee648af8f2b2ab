import { decideReminder } from '#jobs/reminders.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import type { Reminder, ReminderReason } from './reminder.ts';

/** The reminder will not be sent, and this is why. */
export async function skip(ctx: InTransaction, { id }: Reminder, reason: ReminderReason): Promise<void> {
  await ctx.tx.execute(sql`
    update reminder_steps set state = 'skipped', reason = ${reason}, decided_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}

/** The reminder waits until then, and is judged again; this is why. */
export async function putOff(
  ctx: InTransaction,
  { id, attempt }: Reminder,
  { reason, until }: { reason: ReminderReason; until: Date },
): Promise<void> {
  await ctx.tx.execute(sql`
    update reminder_steps set state = 'scheduled', reason = ${reason}, due_at = ${until}, attempt = ${attempt + 1},
      decided_at = ${ctx.clock.now()}, mail_id = null
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  enqueue(ctx, decideReminder, { reminderId: id, attempt: attempt + 1 }, { dueAt: until });
}
