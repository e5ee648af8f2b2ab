import { lockName } from '#src/database/lock-names.ts';
import { days, minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { isBuyable, isUnsubscribed, readSavedCart, type SavedCartRecord } from '../cart/index.ts';
import type { InTransaction } from '../context.ts';
import { isSuppressed } from '../mail/index.ts';
import type { Reminder, ReminderReason } from './reminder.ts';
import { type QuietHours, type ReminderSettings, reminderSettings } from './reminder-settings.ts';

export type Evaluation =
  | { readonly action: 'send'; readonly cart: SavedCartRecord }
  | { readonly action: 'skip'; readonly reason: ReminderReason }
  | { readonly action: 'wait'; readonly reason: ReminderReason; readonly until: Date };

/** What a reminder is evaluated by. */
export interface ReminderFacts {
  readonly isClosed: boolean;
  readonly settings: ReminderSettings;
  readonly cart: SavedCartRecord | undefined;
  readonly isUnsubscribed: boolean;
  readonly isBounced: boolean;
  /** When this email address last got another reminder. */
  readonly remindedAt: Date | null;
}

/** Every condition for sending a reminder. The first that fails is the recorded reason. */
export function evaluate(
  { isClosed, settings, cart, isUnsubscribed, isBounced, remindedAt }: ReminderFacts,
  timezone: string,
  now: Date,
): Evaluation {
  const skip = (reason: ReminderReason): Evaluation => ({ action: 'skip', reason });
  if (isClosed) return skip('store_closed');
  if (!settings.enabled) return skip('switched_off');
  if (!cart || cart.expiresAt <= now) return skip('expired');
  if (cart.convertedAt || cart.isBeingPaid) return skip('purchased');
  if (cart.isOutdated) return skip('newer_cart');
  if (!cart.consent) return skip('no_consent');
  if (isUnsubscribed) return skip('unsubscribed');
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
  await lockName(ctx, 'reminders', email);
  const facts: ReminderFacts = {
    isClosed: ctx.tenant.closedAt !== null,
    settings: await reminderSettings(ctx),
    cart: await readSavedCart(ctx, reminder.savedCartId),
    isUnsubscribed: await isUnsubscribed(ctx, email),
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

/** The end of the current quiet hours in the store's time zone. @returns `undefined` outside quiet hours */
export function endOfQuietHours(quiet: QuietHours | null, timezone: string, now: Date): Date | undefined {
  if (!quiet || !isQuiet(quiet, timezone, now)) return undefined;
  const until = minutesOf(quiet[1]);
  const wait = (until - localMinutes(timezone, now) + minutesOfDay) % minutesOfDay;
  const thisMinute = Math.floor(now.getTime() / minutes(1)) * minutes(1);
  const end = new Date(thisMinute + minutes(wait));
  if (localMinutes(timezone, end) === until) return end;

  // Clocks are changed in between: this may leave out the end, or the beginning may come a second time.
  let time = new Date(thisMinute);
  while (isQuiet(quiet, timezone, time)) time = new Date(time.getTime() + minutes(1));
  return time;
}

const minutesOfDay = days(1) / minutes(1);

/** Includes the start, excludes the end. */
function isQuiet([from, until]: QuietHours, timezone: string, at: Date): boolean {
  const [start, end, time] = [minutesOf(from), minutesOf(until), localMinutes(timezone, at)];
  return start <= end ? time >= start && time < end : time >= start || time < end;
}

function minutesOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

/** Minutes since midnight in this time zone. */
function localMinutes(timezone: string, at: Date): number {
  return minutesOf(formatterOf(timezone).format(at));
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Cached per time zone, because creating a formatter is slow. */
function formatterOf(timezone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timezone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formatters.set(timezone, formatter);
  }
  return formatter;
}
