import { sql } from '#src/lib/sql.ts';
import { isBuyable, readSavedCart, type SavedCartRecord } from '../cart/index.ts';
import type { InTransaction } from '../context.ts';
import { isSuppressed } from '../mail/index.ts';
import { endOfQuietHours } from './quiet-hours.ts';
import type { Reminder, ReminderReason } from './reminder.ts';
import { type ReminderSettings, reminderSettings } from './reminder-settings.ts';

export type Evaluation =
  | { readonly action: 'send'; readonly cart: SavedCartRecord }
  | { readonly action: 'skip'; readonly reason: ReminderReason }
  | { readonly action: 'wait'; readonly reason: ReminderReason; readonly until: Date };

/** What a reminder is evaluated by. */
export interface ReminderFacts {
  readonly settings: ReminderSettings;
  readonly cart: SavedCartRecord | undefined;
  readonly isBounced: boolean;
  /** When this email address last got another reminder. */
  readonly remindedAt: Date | null;
}

/** Every condition for sending a reminder. The first that fails is the recorded reason. */
export function evaluate(
  { settings, cart, isBounced, remindedAt }: ReminderFacts,
  timezone: string,
  now: Date,
): Evaluation {
  const skip = (reason: ReminderReason): Evaluation => ({ action: 'skip', reason });
  if (!settings.enabled) return skip('switched_off');
  if (!cart || cart.expiresAt <= now) return skip('expired');
  if (cart.convertedAt) return skip('purchased');
  if (cart.isOutdated) return skip('newer_cart');
  if (!cart.consent) return skip('no_consent');
  if (cart.isUnsubscribed) return skip('unsubscribed');
  if (isBounced) return skip('bounced');
  if (!cart.lines.some(isBuyable)) return skip('items_gone');
  // Checked before recent reminders: after quiet hours, the last reminder may be long enough ago.
  const until = endOfQuietHours(settings.quietHours, timezone, now);
  if (until) return { action: 'wait', reason: 'quiet_hours', until };
  if (remindedAt && now.getTime() - remindedAt.getTime() < settings.perAddressMs) return skip('recently_reminded');
  return { action: 'send', cart };
}

/** Evaluate a reminder by the current state. Reminders to one email address are evaluated one at a time. */
export async function evaluateReminder(ctx: InTransaction, reminder: Reminder): Promise<Evaluation> {
  const { email } = reminder;
  const key = `reminders of ${ctx.tenant.id}: ${email}`;
  await ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
  const facts: ReminderFacts = {
    settings: await reminderSettings(ctx),
    cart: await readSavedCart(ctx, reminder.savedCartId),
    isBounced: await isSuppressed(ctx, email),
    remindedAt: await lastRemindedAt(ctx, reminder),
  };
  return evaluate(facts, ctx.tenant.timezone, ctx.clock.now());
}

async function lastRemindedAt(ctx: InTransaction, { id, email }: Reminder): Promise<Date | null> {
  const [row] = await ctx.tx.execute<{ at: Date | null }>(sql`
    select max(decided_at) as at from reminder_steps
    where tenant_id = ${ctx.tenant.id} and email = ${email} and state = 'sent' and id <> ${id}`);
  return row?.at ?? null;
}
