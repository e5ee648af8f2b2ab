import { byEmail, type PersonalData, removedRows } from '../personal-data.ts';

export const partnerPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'partner_applications',
    personal: ['email', 'name', 'website', 'message'],
    beside: ['id', 'status', 'created_at'],
    of: byEmail('email'),
  }),
];
