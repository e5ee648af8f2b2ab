import { byEmail, type PersonalData, removedRows } from '../personal-data.ts';

export const reminderPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'reminder_steps',
    personal: ['email'],
    beside: ['id', 'saved_cart_id', 'number', 'state', 'reason', 'due_at', 'decided_at'],
    of: byEmail('email'),
  }),
];
