import { decideReminder as decideReminderJob } from '#jobs/reminders.ts';
import { completeJob } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { isBuyable, type SavedCartRecord, saveTokenHashes } from '../cart/index.ts';
import { lineName } from '../catalog/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { type DeliveryCheck, enqueueMail, type MailData } from '../mail/index.ts';
import { evaluateReminder } from './evaluate-reminder.ts';
import type { Reminder, ReminderReason } from './reminder.ts';

/**
 * Decide about a due reminder: send, postpone or skip it, and record why. A job that runs again finds the decision
 * made.
 */
export async function decideReminder(
  ctx: Context,
  { reminderId, attempt }: { reminderId: string; attempt: number },
): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const reminder = await lockScheduled(ctx, reminderId, attempt);
    if (!reminder) return;
    const evaluation = await evaluateReminder(ctx, reminder);
    if (evaluation.action === 'send') await send(ctx, reminder, evaluation.cart);
    if (evaluation.action === 'skip') await skip(ctx, reminder, evaluation.reason);
    if (evaluation.action === 'wait') await postpone(ctx, reminder, evaluation);
  });
}

const selectReminder = sql`select id, saved_cart_id as "savedCartId", email, number, attempt from reminder_steps`;

async function lockScheduled(ctx: InTransaction, id: string, attempt: number): Promise<Reminder | undefined> {
  const [reminder] = await ctx.tx.execute<Reminder>(sql`
    ${selectReminder}
    where tenant_id = ${ctx.tenant.id} and id = ${id} and attempt = ${attempt} and state = 'scheduled' for update`);
  return reminder;
}

async function send(ctx: InTransaction, reminder: Reminder, cart: SavedCartRecord): Promise<void> {
  await saveTokenHashes(ctx, { savedCartId: cart.id, email: cart.email });
  const mailId = enqueueMail(ctx, {
    kind: 'abandoned_cart',
    to: cart.email,
    subjectId: cart.id,
    data: { step: reminder.number, currency: cart.currency, items: itemsOf(cart) },
  });
  await ctx.tx.execute(sql`
    update reminder_steps set state = 'sent', reason = null, decided_at = ${ctx.clock.now()}, mail_id = ${mailId}
    where tenant_id = ${ctx.tenant.id} and id = ${reminder.id}`);
}

/** Names and prices come from the catalogue: a saved cart could contain any text, and be saved for any recipient. */
function itemsOf({ lines }: SavedCartRecord): MailData['abandoned_cart']['items'] {
  return lines.filter(isBuyable).map((line) => ({
    name: lineName({ productName: line.productName ?? '', variantName: line.variantName }),
    quantity: line.quantity,
    subscription_interval: line.subscriptionInterval,
    total_cents: line.currentUnitPriceCents === null ? null : line.currentUnitPriceCents * line.quantity,
  }));
}

/** Decide again right before sending: meanwhile the shopper may have bought, or quiet hours may have begun. */
export const checkReminder: DeliveryCheck = async (ctx, { mailId }) => {
  const [reminder] = await ctx.tx.execute<Reminder>(sql`
    ${selectReminder}
    where tenant_id = ${ctx.tenant.id} and mail_id = ${mailId} and state = 'sent' for update`);
  if (!reminder) return 'The saved cart no longer exists.';
  const evaluation = await evaluateReminder(ctx, reminder);
  if (evaluation.action === 'send') {
    await saveTokenHashes(ctx, reminder);
    return undefined;
  }
  if (evaluation.action === 'skip') await skip(ctx, reminder, evaluation.reason);
  else await postpone(ctx, reminder, evaluation);
  return `The reminder was evaluated again: ${evaluation.reason}.`;
};

/** Record that the reminder will not be sent, and why. */
async function skip(ctx: InTransaction, { id }: Reminder, reason: ReminderReason): Promise<void> {
  await ctx.tx.execute(sql`
    update reminder_steps set state = 'skipped', reason = ${reason}, decided_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}

/** Postpone the reminder and enqueue its next evaluation, and record why. */
async function postpone(
  ctx: InTransaction,
  { id, attempt }: Reminder,
  { reason, until }: { reason: ReminderReason; until: Date },
): Promise<void> {
  await ctx.tx.execute(sql`
    update reminder_steps set state = 'scheduled', reason = ${reason}, due_at = ${until}, attempt = ${attempt + 1},
      decided_at = ${ctx.clock.now()}, mail_id = null
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  enqueue(ctx, decideReminderJob, { reminderId: id, attempt: attempt + 1 }, { dueAt: until });
}
