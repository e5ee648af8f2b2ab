import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byEmail, byMention, type PersonalData, removedRows } from '../personal-data.ts';

export const partnerPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'partner_applications',
    personal: ['email', 'name', 'website', 'message'],
    beside: ['id', 'status', 'created_at'],
    of: byEmail('email'),
  }),
  // A visit counts for its partner, but the storefront's URL and session may contain an email.
  anonymisedRows({
    table: 'partner_referrals',
    stays: 'A visit counts for its partner.',
    personal: blank('landing_url', 'session_id'),
    beside: ['id', 'partner_id', 'visits', 'first_seen_at', 'last_seen_at'],
    of: byMention(sql`concat_ws(' ', landing_url, session_id)`),
  }),
];
