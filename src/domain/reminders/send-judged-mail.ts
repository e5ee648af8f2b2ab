import { sql } from '#src/lib/sql.ts';
import { saveTokenHashes } from '../cart/index.ts';
import type { Context } from '../context.ts';
import { type DeliveryCheck, sendMail } from '../mail/index.ts';
import { checkLink } from '../sessions/index.ts';
import { evaluateReminder } from './judge-reminder.ts';
import { putOff, skip } from './record-verdict.ts';
import type { Reminder } from './reminder.ts';

/**
 * Send a mail; a reminder or a link to sign in only if it is still right to. The mail server may have been away for
 * hours since it was decided on: meanwhile its reader may have bought or unsubscribed, or gone to bed.
 */
export async function sendCheckedMail(ctx: Context, payload: { mailId: string }): Promise<void> {
  await sendMail(ctx, payload, { abandoned_cart: checkAgain, magic_link: checkLink });
}

const checkAgain: DeliveryCheck = async (ctx, { mailId }) => {
  const [reminder] = await ctx.tx.execute<Reminder>(sql`
    select id, saved_cart_id as "savedCartId", email, number, attempt from reminder_steps
    where tenant_id = ${ctx.tenant.id} and mail_id = ${mailId} and state = 'sent' for update`);
  if (!reminder) return 'The cart that it reminds of is gone.';
  const verdict = await evaluateReminder(ctx, reminder);
  if (verdict.verdict === 'send') {
    await saveTokenHashes(ctx, reminder);
    return undefined;
  }
  if (verdict.verdict === 'skip') await skip(ctx, reminder, verdict.reason);
  else await putOff(ctx, reminder, verdict);
  return `It was judged again: ${verdict.reason}.`;
};
