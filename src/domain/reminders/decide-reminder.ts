import { completeJob } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { isBuyable, type SavedCartRecord, saveTokenHashes } from '../cart/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { enqueueMail, type MailData } from '../mail/index.ts';
import { evaluateReminder } from './judge-reminder.ts';
import { putOff, skip } from './record-verdict.ts';
import type { Reminder } from './reminder.ts';

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
    const verdict = await evaluateReminder(ctx, reminder);
    if (verdict.verdict === 'send') await send(ctx, reminder, verdict.cart);
    if (verdict.verdict === 'skip') await skip(ctx, reminder, verdict.reason);
    if (verdict.verdict === 'wait') await putOff(ctx, reminder, verdict);
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
