import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { read } from '../database.ts';
import type { EndpointRecord } from './present.ts';

/** The endpoint with this id, as its owner sees it. */
export async function readEndpoint(ctx: Context, id: string): Promise<EndpointRecord | undefined> {
  const [endpoint] = await readWhere(ctx, sql`id = ${id}`, 1);
  return endpoint;
}

export async function readEndpoints(ctx: Context, ids: readonly string[]): Promise<EndpointRecord[]> {
  return readWhere(ctx, sql`id = any(${ids})`, ids.length);
}

/** A store's endpoints, newest first. `after` is the id of the last one of the page before. */
export async function listEndpoints(ctx: Context, { limit, after }: { limit: number; after?: string | undefined }): Promise<EndpointRecord[]> {
  return readWhere(ctx, after === undefined ? sql`true` : sql`id < ${after}`, limit);
}

async function readWhere(ctx: Context, condition: Sql, limit: number): Promise<EndpointRecord[]> {
  return read<EndpointRecord>(ctx, sql`
    select id, url, events, concurrency, rate_per_second as "ratePerSecond", disabled_at as "disabledAt",
      disabled_reason as "disabledReason", failing_since as "failingSince", last_success_at as "lastSuccessAt", version,
      created_at as "createdAt", updated_at as "updatedAt"
    from webhook_endpoints where tenant_id = ${ctx.tenant.id} and ${condition}
    order by id desc limit ${limit}`);
}
