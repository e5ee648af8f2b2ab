export { decideReminder } from './decide-reminder.ts';
export { listReminderDecisions } from './list-reminder-decisions.ts';
export { reminderPersonalData } from './personal-data.ts';
export { presentReminderDecision, ReminderDecisionView } from './present.ts';
export { ReminderSettingsEntity, ReminderSettingsInput } from './reminder-settings.ts';
export { saveCartAndRemind } from './save-cart-and-remind.ts';
export { saveReminderSettings } from './save-reminder-settings.ts';
export { sendCheckedMail } from './send-judged-mail.ts';
export { stopReminders } from './stop-reminders.ts';
