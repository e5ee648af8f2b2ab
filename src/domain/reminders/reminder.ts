/** Why a reminder was not sent, or not yet. A shipped word is never changed. */
export const reminderReasons = [
  'switched_off',
  'purchased',
  'expired',
  'newer_cart',
  'no_consent',
  'unsubscribed',
  'bounced',
  'items_gone',
  'recently_reminded',
  'quiet_hours',
] as const;
export type ReminderReason = (typeof reminderReasons)[number];

export const reminderStates = ['scheduled', 'sent', 'skipped'] as const;
export type ReminderState = (typeof reminderStates)[number];

/** One reminder of one saved cart. */
export interface Reminder {
  readonly id: string;
  readonly savedCartId: string;
  readonly email: string;
  /** Which of the cart's reminders it is, from 1 on. */
  readonly number: number;
  /** Rises each time that it is put off. */
  readonly attempt: number;
}
