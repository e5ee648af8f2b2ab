import { read } from '#src/database/transact.ts';
import { keyset, type Page, type Position } from '#src/lib/cursor.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { EndpointRecord } from './present.ts';

/** The endpoint with this id, as its owner sees it. */
export async function readEndpoint(ctx: Context, id: string): Promise<EndpointRecord | undefined> {
  const [endpoint] = await readEndpoints(ctx, [id]);
  return endpoint;
}

export async function readEndpoints(ctx: Context, ids: readonly string[]): Promise<EndpointRecord[]> {
  return read<EndpointRecord>(
    ctx,
    sql`
    select ${endpointColumns} from webhook_endpoints where tenant_id = ${ctx.tenant.id} and id = any(${ids})`,
  );
}

/**
 * A store's endpoints, newest first, page by page.
 * @throws DomainError `invalid_cursor`
 */
export async function listEndpoints(
  ctx: Context,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<EndpointRecord>> {
  const keys = keyset(ctx, 'webhook_endpoints', { columns: ['id'], descending: true }, cursor);
  const rows = await read<EndpointRecord & { position: Position }>(
    ctx,
    sql`
    select ${endpointColumns}, ${keys.position} as position
    from webhook_endpoints where tenant_id = ${ctx.tenant.id} and ${keys.after}
    order by ${keys.by} limit ${limit + 1}`,
  );
  return keys.page(rows, limit);
}

const endpointColumns: Sql = sql`
  id, url, events, concurrency, rate_per_second as "ratePerSecond", disabled_at as "disabledAt",
  disabled_reason as "disabledReason", failing_since as "failingSince", last_success_at as "lastSuccessAt", version,
  created_at as "createdAt", updated_at as "updatedAt"`;
