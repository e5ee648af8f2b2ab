import { rawSql, sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byEmail, type PersonalData } from '../personal-data.ts';

/** The text of a review without any email. */
const withoutEmails = (column: string) =>
  sql`regexp_replace(${rawSql(column)}, '[^[:space:]]+(@|%40)[^[:space:]]+', '…', 'g')`;

/** Reviews are anonymised and not removed, because their ratings count in the product's average. */
export const catalogPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'reviews',
    personal: {
      ...blank('email'),
      author_name: sql`'Anonymous'`,
      title: withoutEmails('title'),
      body: withoutEmails('body'),
    },
    stays: 'Ratings count in the averages of products; the text stays without emails.',
    beside: ['id', 'product_id', 'rating', 'status', 'created_at'],
    of: byEmail('email'),
  }),
];
