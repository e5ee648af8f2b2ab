import { read, readOne } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { found } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** A connection to a third party, as far as everybody may see it. */
export interface Connection {
  readonly id: string;
  readonly provider: string;
  /** Where the owner's browser ends up. */
  readonly returnUrl: string;
  /** Until when the third party may answer. */
  readonly expiresAt: Date;
  /** When it answered. */
  readonly receivedAt: Date | null;
  readonly createdAt: Date;
}

/** The columns of `integration_connections` that make a `Connection`. */
export const connectionColumns: Sql = sql`
  id, provider, return_url as "returnUrl", expires_at as "expiresAt", received_at as "receivedAt", created_at as "createdAt"`;

/** The connection of this id. @throws DomainError `not_found` */
export async function findConnection(ctx: Context, { id }: { id: string }): Promise<Connection> {
  return found(
    await readOne<Connection>(
      ctx,
      sql`
    select ${connectionColumns} from integration_connections where tenant_id = ${ctx.tenant.id} and id = ${id}`,
    ),
    'integration',
  );
}

/** The connections of the store, the newest first, page by page. @throws DomainError `invalid_cursor` */
export async function listConnections(ctx: Context, { cursor, limit = 20 }: PageRequest): Promise<Page<Connection>> {
  const list = keyset(ctx, 'integrations', { columns: ['id'], descending: true }, cursor);
  const rows = await read<Connection & { position: Position }>(
    ctx,
    sql`
    select ${connectionColumns}, ${list.position} as position from integration_connections
    where tenant_id = ${ctx.tenant.id} and ${list.after} order by ${list.by} limit ${limit + 1}`,
    { replica: true },
  );
  return list.page(rows, limit);
}
