import { byEmail, type PersonalData, removedRows } from '../personal-data.ts';

export const leadPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'waitlist_entries',
    personal: ['email'],
    beside: ['id', 'product_id', 'variant_id', 'created_at', 'notified_at'],
    of: byEmail('email'),
  }),
  removedRows({
    table: 'wholesale_inquiries',
    personal: ['email', 'company', 'phone', 'message', 'expected_volume'],
    beside: ['id', 'status', 'created_at'],
    of: byEmail('email'),
  }),
  removedRows({
    table: 'leads',
    personal: ['email', 'name', 'answers'],
    beside: ['id', 'source', 'consent', 'consent_at', 'created_at', 'updated_at'],
    of: byEmail('email'),
  }),
];
