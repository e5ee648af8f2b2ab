export { checkReminder, decideReminder } from './decide-reminder.ts';
export { listReminderDecisions, presentReminderDecision, ReminderDecisionView } from './list-reminder-decisions.ts';
export { reminderPersonalData } from './personal-data.ts';
export {
  issuesOfReminders,
  presentReminderSettings,
  ReminderSettingsEntity,
  ReminderSettingsInput,
  ReminderSettingsView,
  reminderSettings,
  saveReminderSettings,
} from './reminder-settings.ts';
export { saveCartAndRemind, stopReminders } from './schedule-reminders.ts';
