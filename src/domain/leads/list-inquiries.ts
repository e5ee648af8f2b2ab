import { read } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { InquiryStatus } from './inquiry.ts';

/** What a business asked. */
export interface Inquiry {
  readonly id: string;
  readonly email: string;
  readonly company: string | null;
  readonly phone: string | null;
  readonly message: string | null;
  readonly expectedVolume: string | null;
  readonly status: InquiryStatus;
  readonly createdAt: Date;
}

/**
 * The wholesale inquiries, the newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listInquiries(ctx: Context, { cursor, limit = 20 }: PageRequest): Promise<Page<Inquiry>> {
  const list = keyset(ctx, 'wholesale_inquiries', { columns: ['id'], descending: true }, cursor);
  const rows = await read<Inquiry & { position: Position }>(
    ctx,
    sql`
    select id, email, company, phone, message, expected_volume as "expectedVolume", status, created_at as "createdAt",
      ${list.position} as position
    from wholesale_inquiries where tenant_id = ${ctx.tenant.id} and ${list.after}
    order by ${list.by} limit ${limit + 1}`,
    { replica: true },
  );
  return list.page(rows, limit);
}
