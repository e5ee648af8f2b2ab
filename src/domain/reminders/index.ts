export { reminderSettings } from './read-reminder-settings.ts';
export {
  defaultReminderSettings, type QuietHours, type ReminderSettings, ReminderSettingsEntity, ReminderSettingsInput,
} from './reminder-settings.ts';
export { saveReminderSettings } from './save-reminder-settings.ts';
