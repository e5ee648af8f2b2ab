import { decideReminder as decideReminderJob } from '#jobs/reminders.ts';
import { completeJob } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { isBuyable, type SavedCartRecord, saveTokenHashes } from '../cart/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { type DeliveryCheck, enqueueMail, type MailData, sendMail } from '../mail/index.ts';
import { checkLink } from '../sessions/index.ts';
import { evaluateReminder } from './evaluate-reminder.ts';
import type { Reminder, ReminderReason } from './reminder.ts';

/**
 * A reminder is due: send it, put it off or let it be, and write down why. A promise that is worked again finds the
 * decision made.
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

async function lockScheduled(ctx: InTransaction, id: string, attempt: number): Promise<Reminder | undefined> {
  const [reminder] = await ctx.tx.execute<Reminder>(sql`
    select id, saved_cart_id as "savedCartId", email, number, attempt from reminder_steps
    where tenant_id = ${ctx.tenant.id} and id = ${id} and attempt = ${attempt} and state = 'scheduled' for update`);
  return reminder;
}

async function send(ctx: InTransaction, reminder: Reminder, cart: SavedCartRecord): Promise<void> {
  await saveTokenHashes(ctx, { savedCartId: cart.id, email: cart.email });
  const mailId = await enqueueMail(ctx, {
    kind: 'abandoned_cart',
    to: cart.email,
    subjectId: cart.id,
    data: { step: reminder.number, currency: cart.currency, items: itemsOf(cart) },
  });
  await ctx.tx.execute(sql`
    update reminder_steps set state = 'sent', reason = null, decided_at = ${ctx.clock.now()}, mail_id = ${mailId}
    where tenant_id = ${ctx.tenant.id} and id = ${reminder.id}`);
}

/** Named and priced by the catalogue: whoever saved the cart could have written anything, to anybody. */
function itemsOf({ lines }: SavedCartRecord): MailData['abandoned_cart']['items'] {
  return lines.filter(isBuyable).map(({ productName, variantName, quantity, currentUnitPriceCents: price }) => ({
    name: variantName && variantName !== productName ? `${productName}, ${variantName}` : (productName ?? ''),
    quantity,
    total_cents: price === null ? null : price * quantity,
  }));
}

/**
 * Send a mail; a reminder or a link to sign in only if it is still right to. The mail server may have been away for
 * hours since it was decided on: meanwhile its reader may have bought or unsubscribed, or gone to bed.
 */
export async function sendCheckedMail(ctx: Context, payload: { mailId: string }): Promise<void> {
  await sendMail(ctx, payload, { abandoned_cart: checkReminder, magic_link: checkLink });
}

const checkReminder: DeliveryCheck = async (ctx, { mailId }) => {
  const [reminder] = await ctx.tx.execute<Reminder>(sql`
    select id, saved_cart_id as "savedCartId", email, number, attempt from reminder_steps
    where tenant_id = ${ctx.tenant.id} and mail_id = ${mailId} and state = 'sent' for update`);
  if (!reminder) return 'The cart that it reminds of is gone.';
  const evaluation = await evaluateReminder(ctx, reminder);
  if (evaluation.action === 'send') {
    await saveTokenHashes(ctx, reminder);
    return undefined;
  }
  if (evaluation.action === 'skip') await skip(ctx, reminder, evaluation.reason);
  else await postpone(ctx, reminder, evaluation);
  return `It was judged again: ${evaluation.reason}.`;
};

/** The reminder will not be sent, and this is why. */
async function skip(ctx: InTransaction, { id }: Reminder, reason: ReminderReason): Promise<void> {
  await ctx.tx.execute(sql`
    update reminder_steps set state = 'skipped', reason = ${reason}, decided_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}

/** The reminder waits until then, and is judged again; this is why. */
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
