/** Why a reminder was skipped or postponed. They are stored and part of the API, so they never change. */
export const reminderReasons = [
  'store_closed',
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

/** One reminder of one saved cart. */
export interface Reminder {
  readonly id: string;
  readonly savedCartId: string;
  readonly email: string;
  /** The number among the cart's reminders, starting at 1. */
  readonly number: number;
  /** Increases each time it is postponed. */
  readonly attempt: number;
}
