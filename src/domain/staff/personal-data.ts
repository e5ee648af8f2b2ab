import { byEmail, type PersonalData, removedRows } from '../personal-data.ts';

/** A member has to be revoked before they are erased. */
export const staffPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'staff_links',
    personal: ['email'],
    beside: ['id', 'outcome', 'created_at', 'used_at', 'expires_at'],
    of: byEmail('email'),
  }),
  removedRows({
    table: 'staff',
    personal: ['email', 'name'],
    beside: ['id', 'role', 'created_at', 'revoked_at', 'signed_in_at'],
    of: byEmail('email'),
  }),
];
