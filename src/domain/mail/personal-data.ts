import { byEmail, type PersonalData, removedRows } from '../personal-data.ts';

export const mailPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'mails',
    personal: ['recipient', 'data'],
    beside: ['id', 'kind', 'state', 'created_at', 'sent_at'],
    of: byEmail('recipient'),
  }),
  removedRows({
    table: 'mail_suppressions',
    personal: ['address'],
    beside: ['created_at', 'reason'],
    of: byEmail('address'),
  }),
];
