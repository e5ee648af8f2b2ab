import { indexesOf, searchPage } from '#src/database/read-page.ts';
import { read, readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { ReturnRecord } from './present.ts';
import type { ReturnStatus } from './return.ts';

/** A return, read with one statement; `undefined` when the store has none with this id. */
export async function readReturn(ctx: Context, id: string): Promise<ReturnRecord | undefined> {
  return readOne<ReturnRecord>(ctx, sql`${selectReturns(ctx)} and r.id = ${id}`);
}

/** The returns of these ids that exist, with one statement. */
export async function readReturns(ctx: Context, ids: readonly string[]): Promise<ReturnRecord[]> {
  return read<ReturnRecord>(ctx, sql`${selectReturns(ctx)} and r.id = any(${ids}::text[])`);
}

export interface ReturnFilter extends PageRequest {
  readonly status?: ReturnStatus | undefined;
  /** Only returns of orders with this email. */
  readonly email?: string | undefined;
}

/**
 * Returns, the newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listReturns(ctx: Context, { status, email, ...page }: ReturnFilter): Promise<Page<ReturnRecord>> {
  const filter = { status, email: email && normaliseEmail(email) };
  return searchPage<ReturnRecord>(
    ctx,
    {
      name: 'returns',
      columns: ['r.id'],
      descending: true,
      table: sql`returns r`,
      alias: sql`r`,
      filter,
      indexes: indexesOf(filter, { email: 'r.email', status: 'r.status' }),
    },
    page,
    (more, from) => selectReturns(ctx, more, from),
  );
}

const selectReturns = (ctx: Context, more: Sql = sql``, from: Sql = sql`returns r`): Sql => sql`
  select r.id, r.number, r.order_id as "orderId", r.order_number as "orderNumber", r.email, r.status, r.note, r.version,
    r.created_at as "createdAt",
    (select coalesce(json_agg(json_build_object(
        'orderItemId', i.order_item_id, 'variantId', i.variant_id, 'name', i.name, 'quantity', i.quantity,
        'reason', i.reason, 'note', i.note) order by i.position), '[]')
      from return_items i where i.tenant_id = r.tenant_id and i.return_id = r.id) as items${more}
  from ${from}
  where r.tenant_id = ${ctx.tenant.id}`;
