import { read, readOne } from '#src/database/transact.ts';
import { keyset, type Page, type Position } from '#src/lib/cursor.ts';
import { notFound } from '#src/lib/errors.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { eventTypes } from '#src/outbox/events.ts';
import type { Context } from '../context.ts';
import { readEndpoint } from './read-endpoints.ts';

export const deliveryStates = ['pending', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface DeliveryQuery {
  readonly endpointId: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
}

/** How many deliveries are searched for one page, where no index finds those that are wanted. */
const searchedMax = 500;

/**
 * An endpoint's deliveries, newest first, page by page. Those of a type, those that were delivered and those since a
 * time are searched for among a number of deliveries, so a page may be shorter than its limit and still have a cursor.
 * @throws DomainError `not_found`, or `invalid_cursor`
 */
export async function listDeliveries(ctx: Context, query: DeliveryQuery): Promise<Page<DeliveryRecord>> {
  const { endpointId, limit, cursor, state, type, since } = query;
  const keys = keyset(ctx, `webhook_deliveries of ${endpointId}`, { columns: ['d.id'], descending: true }, cursor);
  const isOpen = state !== undefined && state !== 'delivered';
  const isSearched = type !== undefined || since !== undefined || state === 'delivered';
  const count = isSearched ? searchedMax : limit + 1;
  const isWanted = sql`
    ${state === undefined ? sql`true` : sql`d.state = ${state}`}
    ${type === undefined ? sql`` : sql`and e.type = ${type}`}
    ${since === undefined ? sql`` : sql`and d.created_at >= ${since}`}`;
  const found = await read<DeliveryRecord & { position: Position; number: number; isWanted: boolean }>(
    ctx,
    sql`
    select ${deliveryColumns}, d.position, d.number::int, ${isWanted} as "isWanted"
    from (
      select d.*, ${keys.position} as position, row_number() over (order by ${keys.by}) as number
      from webhook_deliveries d
      where d.tenant_id = ${ctx.tenant.id} and d.endpoint_id = ${endpointId}
        ${isOpen ? sql`and d.state = ${state} and d.state <> 'delivered'` : sql``} and ${keys.after}
      order by ${keys.by} limit ${count}) as d
    cross join lateral (select type from events e where e.tenant_id = ${ctx.tenant.id} and e.id = d.event_id offset 0) as e
    where ${isWanted} or d.number = ${count}
    order by ${keys.by} limit ${limit + 1}`,
  );
  if (found.length === 0 && !(await readEndpoint(ctx, endpointId))) throw notFound('webhook endpoint');
  const last = found.at(-1);
  const goesOn = last?.number === count && (since === undefined || last.createdAt >= since);
  return keys.page(
    found.filter(({ isWanted }) => isWanted),
    limit,
    goesOn ? last.position : undefined,
  );
}

/** A delivery with all its attempts, in one statement. */
export async function readDelivery(
  ctx: Context,
  id: string,
): Promise<{ delivery: DeliveryRecord; attempts: AttemptRecord[] } | undefined> {
  const row = await readOne<DeliveryRecord & { attempts: StoredAttempt[] }>(
    ctx,
    sql`
    select delivery.*, (
      select coalesce(json_agg(json_build_object('number', a.number, 'at', a.at, 'status', a.status, 'failure', a.failure,
        'durationMs', a.duration_ms, 'response', a.response, 'objectVersion', a.object_version) order by a.number), '[]')
      from webhook_attempts a where a.tenant_id = ${ctx.tenant.id} and a.delivery_id = delivery.id) as attempts
    from (
      select ${deliveryColumns} from webhook_deliveries d join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
      where d.tenant_id = ${ctx.tenant.id} and d.id = ${id}) as delivery`,
  );
  if (!row) return undefined;
  const { attempts, ...delivery } = row;
  return { delivery, attempts: attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })) };
}

/** An attempt as JSON returns it: with its time as text. */
type StoredAttempt = Omit<AttemptRecord, 'at'> & { readonly at: string };

const deliveryColumns: Sql = sql`
  d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", e.type, d.state, d.attempt_count as "attemptCount",
  d.next_attempt_at as "nextAttemptAt", d.last_status as "lastStatus", d.last_failure as "lastFailure",
  d.created_at as "createdAt"`;

/** One event for one endpoint, with its progress. */
export const WebhookDeliveryView = Type.Object(
  {
    id: Id('whd'),
    endpoint_id: Id('whe'),
    event_id: Id('evt'),
    type: Type.Enum(Object.keys(eventTypes)),
    state: Type.Enum([...deliveryStates]),
    attempt_count: Type.Integer({ examples: [1] }),
    next_attempt_at: Nullable(Timestamp),
    last_status: Nullable(Type.Integer({ examples: [200] })),
    last_failure: Nullable(Type.String({ examples: [null] })),
    created_at: Timestamp,
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDeliveryView = Static<typeof WebhookDeliveryView>;

export type DeliveryRecord = RowOf<typeof WebhookDeliveryView>;

export function presentDelivery(delivery: DeliveryRecord): WebhookDeliveryView {
  return presentAs(WebhookDeliveryView, delivery);
}

/** One attempt: the status and beginning of the response, or why there was none. */
export const WebhookAttemptView = Type.Object(
  {
    number: Type.Integer({ examples: [1] }),
    at: Timestamp,
    status: Nullable(Type.Integer({ examples: [500] })),
    failure: Nullable(Type.String({ examples: [null] })),
    duration_ms: Type.Integer({ examples: [84] }),
    response: Nullable(Type.String({ examples: ['Internal Server Error'] })),
    object_version: Nullable(
      Type.Integer({ examples: [3], description: 'The version of the object that was sent, as in the body.' }),
    ),
  },
  { title: 'WebhookAttempt' },
);
export type WebhookAttemptView = Static<typeof WebhookAttemptView>;

export type AttemptRecord = RowOf<typeof WebhookAttemptView>;

export function presentAttempt(attempt: AttemptRecord): WebhookAttemptView {
  return presentAs(WebhookAttemptView, attempt);
}
