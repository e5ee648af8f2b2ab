import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byEmail, type PersonalData } from '../personal-data.ts';

/** Reviews are anonymised and not removed, because their ratings count in the product's average. */
export const catalogPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'reviews',
    personal: { ...blank('email'), author_name: sql`'Anonymous'` },
    beside: ['id', 'product_id', 'rating', 'title', 'body', 'status', 'created_at'],
    of: byEmail('email'),
  }),
];
