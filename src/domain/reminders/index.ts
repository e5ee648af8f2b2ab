export { decideReminder, sendCheckedMail } from './decide-reminder.ts';
export { listReminderDecisions, presentReminderDecision, ReminderDecisionView } from './list-reminder-decisions.ts';
export { reminderPersonalData } from './personal-data.ts';
export { ReminderSettingsEntity, ReminderSettingsInput, saveReminderSettings } from './reminder-settings.ts';
export { saveCartAndRemind } from './save-cart-and-remind.ts';
export { stopReminders } from './stop-reminders.ts';
