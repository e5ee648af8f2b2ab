export { decideReminder } from './decide-reminder.ts';
export { listReminderDecisions, type ReminderDecision } from './list-reminder-decisions.ts';
export { reminderPersonalData } from './personal-data.ts';
export { presentReminderDecision, ReminderDecisionView } from './present.ts';
export { reminderSettings } from './read-reminder-settings.ts';
export {
  defaultReminderSettings, type QuietHours, type ReminderSettings, ReminderSettingsEntity, ReminderSettingsInput,
} from './reminder-settings.ts';
export { type RemindedCart, saveCartAndRemind } from './save-cart-and-remind.ts';
export { saveReminderSettings } from './save-reminder-settings.ts';
export { sendJudgedMail } from './send-judged-mail.ts';
export { stopReminders } from './stop-reminders.ts';
