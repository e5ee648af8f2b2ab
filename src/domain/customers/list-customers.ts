import { read } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { Customer } from './customer.ts';
import { selectCustomers } from './find-customer.ts';
import { normaliseEmail } from './normalise-email.ts';

/**
 * The customers of the store, the newest first, page by page; the one of an address where it is named.
 * @throws DomainError `invalid_cursor`
 */
export async function listCustomers(
  ctx: Context,
  { email, cursor, limit = 20 }: PageRequest & { email?: string | undefined },
): Promise<Page<Customer>> {
  const list = keyset(ctx, 'customers', { columns: ['c.id'], descending: true }, cursor);
  const ofEmail = email === undefined ? sql`` : sql` and c.email = ${normaliseEmail(email)}`;
  const rows = await read<Customer & { position: Position }>(
    ctx,
    sql`
    ${selectCustomers(ctx, sql`, ${list.position} as position`)}${ofEmail} and ${list.after}
    order by ${list.by} limit ${limit + 1}`,
    { replica: true },
  );
  return list.page(rows, limit);
}
