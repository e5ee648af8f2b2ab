import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { read, readOne } from '../database.ts';
import type { AttemptRecord, DeliveryRecord, DeliveryState } from './present.ts';

export interface DeliveryPage {
  readonly endpointId: string;
  readonly limit: number;
  /** The id of the last delivery of the page before. */
  readonly after?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
}

/** An endpoint's deliveries, newest first. */
export async function listDeliveries(ctx: Context, page: DeliveryPage): Promise<DeliveryRecord[]> {
  const { endpointId, limit, after, state, type, since } = page;
  return read<DeliveryRecord>(ctx, sql`${selectDelivery(ctx)} and d.endpoint_id = ${endpointId}
    ${after === undefined ? sql`` : sql`and d.id < ${after}`}
    ${state === undefined ? sql`` : sql`and d.state = ${state}`}
    ${type === undefined ? sql`` : sql`and e.type = ${type}`}
    ${since === undefined ? sql`` : sql`and d.created_at >= ${since}`}
    order by d.id desc limit ${limit}`);
}

/** A delivery with all its attempts, with one statement; `undefined` when this store has none of that id. */
export async function readDelivery(ctx: Context, id: string): Promise<{ delivery: DeliveryRecord; attempts: AttemptRecord[] } | undefined> {
  const row = await readOne<DeliveryRecord & { attempts: StoredAttempt[] }>(ctx, sql`
    select delivery.*, (
      select coalesce(json_agg(json_build_object('number', a.number, 'at', a.at, 'status', a.status, 'failure', a.failure,
        'durationMs', a.duration_ms, 'response', a.response) order by a.number), '[]')
      from webhook_attempts a where a.tenant_id = ${ctx.tenant.id} and a.delivery_id = delivery.id) as attempts
    from (${selectDelivery(ctx)} and d.id = ${id}) as delivery`);
  if (!row) return undefined;
  const { attempts, ...delivery } = row;
  return { delivery, attempts: attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })) };
}

/** As JSON tells it: its time is text. */
type StoredAttempt = Omit<AttemptRecord, 'at'> & { readonly at: string };

const selectDelivery = (ctx: Context): Sql => sql`
  select d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", e.type, d.state,
    d.attempt_count as "attemptCount", d.next_attempt_at as "nextAttemptAt", d.last_status as "lastStatus",
    d.last_failure as "lastFailure", d.created_at as "createdAt"
  from webhook_deliveries d join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
  where d.tenant_id = ${ctx.tenant.id}`;
