import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byEmail, type PersonalData } from '../personal-data.ts';

/** What somebody wrote about a product stays, and nobody wrote it: its stars are in the product's average. */
export const catalogPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'reviews',
    personal: { ...blank('email'), author_name: sql`'Anonymous'` },
    beside: ['id', 'product_id', 'rating', 'title', 'body', 'status', 'created_at'],
    of: byEmail('email'),
  }),
];
